package outbox.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads SQL resources. */
final class SqlFile {
  private static final String NAME = "-- name:";

  /** A semicolon at the end of a line, outside of the bodies between dollar signs. */
  private static final String STATEMENT_END = ";\\s*(?:\n|$)(?=(?:[^$]*\\$\\$[^$]*\\$\\$)*[^$]*$)";

  private SqlFile() {}

  /**
   * The statements of a file by the names that {@code -- name:} lines give them; other comment
   * lines are dropped.
   */
  static Map<String, String> named(String resource) {
    return named(SqlFile.class, resource);
  }

  /** The same of a file beside a class. */
  static Map<String, String> named(Class<?> beside, String resource) {
    return namedIn(read(beside, resource), resource);
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

  /** The statements of a script, each ended by a semicolon at the end of a line. */
  static List<String> script(String resource) {
    return scriptIn(read(SqlFile.class, resource));
  }

  static List<String> scriptIn(String text) {
    List<String> statements = new ArrayList<>();
    for (String statement : text.split(STATEMENT_END, -1)) {
      String body = body(statement);
      if (!body.isEmpty()) {
        statements.add(body);
      }
    }
    return statements;
  }

  private static String body(String text) {
    String body = text.replaceAll("(?m)^\\s*--.*$", "").strip();
    return body.endsWith(";") ? body.substring(0, body.length() - 1) : body;
  }

  private static String read(Class<?> beside, String resource) {
    String path = beside.getPackageName().replace('.', '/') + '/' + resource;
    try (InputStream in = beside.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("resource " + path + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("resource " + path + " is unreadable", e);
    }
  }
}
