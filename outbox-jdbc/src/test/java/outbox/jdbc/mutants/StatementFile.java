package outbox.jdbc.mutants;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A file of named statements as the sources have it.
 *
 * @param module the folder of the module that has it
 * @param subject what its statements are about, such as {@code inbox}
 * @param resource its path on the class path
 * @param statements the texts by name, without comments
 */
public record StatementFile(
    String database,
    String module,
    String subject,
    String resource,
    Map<String, String> statements) {
  public static final List<String> DATABASES = List.of("h2", "mariadb", "postgresql");

  private static final String NAME = "-- name:";

  /** The files of a database, of the tree under this folder. */
  public static List<StatementFile> of(Path root, String database) {
    return List.of(
        read(root, database, "outbox-jdbc", "outbox", "outbox/jdbc/" + database + ".sql"),
        read(root, database, "outbox-jdbc", "joins", "outbox/jdbc/" + database + "-joins.sql"),
        read(root, database, "outbox-jdbc", "inbox", "outbox/jdbc/inbox/" + database + ".sql"),
        read(
            root,
            database,
            "outbox-jdbc",
            "migration",
            "outbox/jdbc/migration/" + database + ".sql"),
        read(
            root,
            database,
            "outbox-admin-data",
            "admin-queue",
            "outbox/admin/data/queue/" + database + ".sql"),
        read(
            root,
            database,
            "outbox-admin-data",
            "admin-joins",
            "outbox/admin/data/joins/" + database + ".sql"));
  }

  private static StatementFile read(
      Path root, String database, String module, String subject, String resource) {
    Path file = root.resolve(module).resolve("src/main/resources").resolve(resource);
    try {
      return new StatementFile(
          database, module, subject, resource, statements(Files.readString(file)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, String> statements(String file) {
    Map<String, String> statements = new LinkedHashMap<>();
    for (String section : file.split("(?m)^(?=" + NAME + ")", -1)) {
      if (section.startsWith(NAME)) {
        int end = section.indexOf('\n');
        statements.put(
            section.substring(NAME.length(), end).strip(),
            section.substring(end).replaceAll("(?m)^\\s*--.*$", "").strip());
      }
    }
    return statements;
  }

  /** All mutants of all its statements. */
  public List<SqlMutant> mutants() {
    List<SqlMutant> mutants = new ArrayList<>();
    statements.forEach(
        (name, text) -> {
          List<SqlMutation> mutations = SqlMutations.of(text);
          for (int i = 0; i < mutations.size(); i++) {
            mutants.add(new SqlMutant(this, name, i + 1, mutations.get(i)));
          }
        });
    return mutants;
  }

  /** The file with a mark behind each statement, by which {@link MarkedStatements} knows it. */
  public String marked() {
    return text(statements);
  }

  String with(String name, String text) {
    Map<String, String> changed = new LinkedHashMap<>(statements);
    changed.put(name, text);
    return text(changed);
  }

  private String text(Map<String, String> texts) {
    StringBuilder file = new StringBuilder();
    texts.forEach(
        (name, text) ->
            file.append(NAME + " " + name + "\n" + text + "\n")
                .append(MarkedStatements.mark(subject + "/" + name) + "\n\n"));
    return file.toString();
  }
}
