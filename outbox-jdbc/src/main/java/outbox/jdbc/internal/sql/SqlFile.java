package outbox.jdbc.internal.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Reads SQL resources. */
public final class SqlFile {
  /** Where this library's own files are. */
  private static final String FOLDER = "/outbox/jdbc/";

  private static final String NAME = "-- name:";

  private static final Pattern END = Pattern.compile("^(?!\\s*--).*;\\s*$");
  private static final Pattern GO = Pattern.compile("(?m)^GO\\s*$");

  private SqlFile() {}

  /**
   * The statements of a file by the names that {@code -- name:} lines give them; other comment
   * lines are dropped.
   */
  public static Map<String, String> named(String resource) {
    return namedIn(read(SqlFile.class, FOLDER, resource), resource);
  }

  /** As {@link #named(String)}, of a file beside a class of any module. */
  public static Map<String, String> named(Class<?> beside, String resource) {
    String folder = "/" + beside.getPackageName().replace('.', '/') + "/";
    return namedIn(read(beside, folder, resource), resource);
  }

  static Map<String, String> namedIn(String text, String resource) {
    Map<String, String> statements = new LinkedHashMap<>();
    for (String section : text.split("(?m)^(?=" + NAME + ")", -1)) {
      if (section.startsWith(NAME)) {
        int end = section.indexOf('\n');
        String name = section.substring(NAME.length(), end).strip();
        if (statements.put(name, body(section.substring(end))) != null) {
          throw new IllegalStateException(resource + " has two statements named " + name);
        }
      }
    }
    return statements;
  }

  /** The statements of a file, which must have exactly those that its users need. */
  public static Map<String, String> exactly(Set<String> required, String resource) {
    return exactly(required, resource, named(resource));
  }

  /**
   * Returns the statements that were read.
   *
   * @throws IllegalStateException if they are not exactly those that their users need
   */
  public static Map<String, String> exactly(
      Set<String> required, String resource, Map<String, String> texts) {
    if (!required.equals(texts.keySet())) {
      throw new IllegalStateException(
          resource
              + " must have exactly the statements "
              + new TreeSet<>(required)
              + " but has "
              + new TreeSet<>(texts.keySet()));
    }
    return texts;
  }

  /** Some statements of a file that has others too. */
  public static Map<String, String> some(Set<String> required, String resource) {
    Map<String, String> texts = named(resource);
    texts.keySet().retainAll(required);
    return exactly(required, resource, texts);
  }

  /** Returns the text of a script, as a person reads it. */
  public static String text(String resource) {
    return read(SqlFile.class, FOLDER, resource);
  }

  /**
   * Returns the statements of a script without their comments. A statement ends with a semicolon at
   * the end of a line outside of {@code $$} bodies; in a script for SQL Server, which has lines
   * {@code GO}, with such a line.
   */
  public static List<String> statements(String script) {
    boolean batches = GO.matcher(script).find();
    List<String> statements = new ArrayList<>();
    StringBuilder statement = new StringBuilder();
    boolean quoted = false;
    for (String line : script.split("\n", -1)) {
      boolean go = batches && GO.matcher(line).matches();
      if (!go && !line.strip().startsWith("--")) {
        statement.append(line).append('\n');
        quoted ^= line.split("\\$\\$", -1).length % 2 == 0;
      }
      if (go || (!batches && !quoted && END.matcher(line).find())) {
        add(statement.toString(), statements);
        statement.setLength(0);
      }
    }
    add(statement.toString(), statements);
    return statements;
  }

  private static void add(String statement, List<String> statements) {
    String body = body(statement);
    if (!body.isEmpty()) {
      statements.add(body);
    }
  }

  private static String body(String text) {
    String body = text.replaceAll("(?m)^\\s*--.*$", "").strip();
    return body.endsWith(";") ? body.substring(0, body.length() - 1) : body;
  }

  private static String read(Class<?> owner, String folder, String resource) {
    String path = folder + resource;
    try (InputStream in = owner.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException("resource " + path.substring(1) + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("resource " + path.substring(1) + " is unreadable", e);
    }
  }
}
