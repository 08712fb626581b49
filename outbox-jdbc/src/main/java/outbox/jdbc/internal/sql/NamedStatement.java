package outbox.jdbc.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One statement of an SQL file, with {@code :name} for a parameter and {@code :name...} for a list
 * of them; {@code ::type} is a cast. Literals and comments are left alone. What stands between
 * {@code {rows}} and {@code {/rows}} is repeated for each row. Knows in which order JDBC wants the
 * parameters.
 */
public final class NamedStatement {
  private static final Pattern TOKEN =
      Pattern.compile(
          "'(?:[^']|'')*'|--[^\n]*|/\\*.*?\\*/|::\\w+"
              + "|:([a-z]\\w*)(\\.\\.\\.)?|\\{rows}(.*?)\\{/rows}",
          Pattern.DOTALL);

  private final List<String> pieces = new ArrayList<>();
  private final List<Slot> slots = new ArrayList<>();
  private final @Nullable String fixed;
  private final PlanRotation plans = new PlanRotation();

  public NamedStatement(String text) {
    StringBuilder piece = new StringBuilder();
    Matcher matcher = TOKEN.matcher(text);
    int end = 0;
    while (matcher.find()) {
      piece.append(text, end, matcher.start());
      end = matcher.end();
      Slot slot = slot(matcher);
      if (slot == null) {
        piece.append(matcher.group());
      } else {
        slots.add(slot);
        pieces.add(piece.toString());
        piece.setLength(0);
      }
    }
    pieces.add(piece.append(text, end, text.length()).toString());
    fixed = slots.stream().allMatch(One.class::isInstance) ? String.join("?", pieces) : null;
  }

  private static @Nullable Slot slot(Matcher token) {
    String name = token.group(1);
    String row = token.group(3);
    if (row != null) {
      return new Rows(new NamedStatement(row));
    }
    if (name == null) {
      return null;
    }
    // Interned as the literals are that it is looked up by, for every value of every statement.
    return token.group(2) == null ? new One(name.intern()) : new Many(name.intern());
  }

  /** The text for JDBC, each list as long as its value. */
  public String sql(Parameters parameters) {
    if (fixed != null) {
      return fixed;
    }
    StringBuilder sql = new StringBuilder(pieces.get(0));
    for (int i = 0; i < slots.size(); i++) {
      sql.append(slots.get(i).sql(parameters)).append(pieces.get(i + 1));
    }
    return sql.toString();
  }

  /** As {@link #sql}, with another text from time to time, so that the database plans it again. */
  String aging(Parameters parameters) {
    return plans.of(sql(parameters));
  }

  /** Sets each question mark in turn. */
  public void bind(PreparedStatement statement, Parameters parameters) throws SQLException {
    parameters.forgetNow();
    bind(statement, 1, parameters);
  }

  private int bind(PreparedStatement statement, int first, Parameters parameters)
      throws SQLException {
    int index = first;
    for (Slot slot : slots) {
      index = slot.bind(statement, index, parameters);
    }
    return index;
  }

  private interface Slot {
    String sql(Parameters parameters);

    /** Sets its question marks from this one on; returns the next one's place. */
    int bind(PreparedStatement statement, int index, Parameters parameters) throws SQLException;
  }

  private record One(String name) implements Slot {
    @Override
    public String sql(Parameters parameters) {
      return "?";
    }

    @Override
    public int bind(PreparedStatement statement, int index, Parameters parameters)
        throws SQLException {
      parameters.value(name).set(statement, index);
      return index + 1;
    }
  }

  private record Many(String name) implements Slot {
    @Override
    public String sql(Parameters parameters) {
      return "?" + ", ?".repeat(parameters.list(name).size() - 1);
    }

    @Override
    public int bind(PreparedStatement statement, int index, Parameters parameters)
        throws SQLException {
      int next = index;
      for (Parameters.Value value : parameters.list(name)) {
        value.set(statement, next++);
      }
      return next;
    }
  }

  private record Rows(NamedStatement row) implements Slot {
    @Override
    public String sql(Parameters parameters) {
      return parameters.rows().stream().map(row::sql).collect(Collectors.joining(",\n  "));
    }

    @Override
    public int bind(PreparedStatement statement, int index, Parameters parameters)
        throws SQLException {
      int next = index;
      for (Parameters each : parameters.rows()) {
        next = row.bind(statement, next, each);
      }
      return next;
    }
  }
}
