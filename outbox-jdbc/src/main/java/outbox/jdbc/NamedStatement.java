package outbox.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One statement of an SQL file, with {@code :name} for a parameter and {@code :name...} for a list
 * of them; {@code ::type} is a cast. Knows in which order JDBC wants the parameters.
 */
final class NamedStatement {
  private static final Pattern TOKEN =
      Pattern.compile("'(?:[^']|'')*'|::\\w+|:([a-z]\\w*)(\\.\\.\\.)?");

  private final List<String> pieces = new ArrayList<>();
  private final List<Slot> slots = new ArrayList<>();
  private final @Nullable String fixed;

  NamedStatement(String text) {
    StringBuilder piece = new StringBuilder();
    Matcher matcher = TOKEN.matcher(text);
    int end = 0;
    while (matcher.find()) {
      piece.append(text, end, matcher.start());
      end = matcher.end();
      String parameter = matcher.group(1);
      if (parameter == null) {
        piece.append(matcher.group());
      } else {
        slots.add(new Slot(parameter, matcher.group(2) != null));
        pieces.add(piece.toString());
        piece.setLength(0);
      }
    }
    pieces.add(piece.append(text, end, text.length()).toString());
    fixed = slots.stream().anyMatch(Slot::list) ? null : String.join("?", pieces);
  }

  /** The text for JDBC, each list as long as its value. */
  String sql(Parameters parameters) {
    if (fixed != null) {
      return fixed;
    }
    StringBuilder sql = new StringBuilder(pieces.get(0));
    for (int i = 0; i < slots.size(); i++) {
      Slot slot = slots.get(i);
      int size = slot.list ? parameters.list(slot.name).size() : 1;
      sql.append("?").append(", ?".repeat(size - 1)).append(pieces.get(i + 1));
    }
    return sql.toString();
  }

  /** The value of each question mark in turn. */
  List<Parameters.Value> values(Parameters parameters) {
    List<Parameters.Value> values = new ArrayList<>();
    for (Slot slot : slots) {
      if (slot.list) {
        values.addAll(parameters.list(slot.name));
      } else {
        values.add(parameters.value(slot.name));
      }
    }
    return values;
  }

  private record Slot(String name, boolean list) {}
}
