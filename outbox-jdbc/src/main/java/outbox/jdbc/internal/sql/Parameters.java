package outbox.jdbc.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.dialect.Dialect;

/** The values of a statement's parameters by name. Typed, so that a null has a type too. */
public final class Parameters {
  /** Longer delays are cut to this: SQL Server adds no more seconds than an INT can count. */
  private static final Duration LONGEST = Duration.ofDays(24_000);

  private static final Value NO_TEXT = (statement, index) -> statement.setString(index, null);
  private static final Value NO_BYTES =
      (statement, index) -> statement.setNull(index, Types.VARBINARY);

  private final Dialect dialect;

  /** So few that looking at each beats hashing; an insert binds them all for every event. */
  private String[] names = new String[16];

  private Value[] values = new Value[names.length];
  private int count;

  /** A bit for each value that is null or false, by its place. */
  private long absent;

  private Map<String, List<Value>> lists = Map.of();
  private @Nullable Instant now;
  private List<Parameters> rows = List.of();

  public Parameters(Dialect dialect) {
    this.dialect = dialect;
  }

  public Parameters text(String name, @Nullable String value) {
    return value == null
        ? put(name, false, NO_TEXT)
        : put(name, (statement, index) -> statement.setString(index, value));
  }

  public Parameters bytes(String name, byte @Nullable [] value) {
    return value == null
        ? put(name, false, NO_BYTES)
        : put(name, (statement, index) -> statement.setBytes(index, value));
  }

  public Parameters number(String name, long value) {
    return put(name, (statement, index) -> statement.setLong(index, value));
  }

  public Parameters flag(String name, boolean value) {
    return put(name, value, (statement, index) -> statement.setBoolean(index, value));
  }

  /** In microseconds. */
  public Parameters duration(String name, Duration value) {
    return number(name, micros(value));
  }

  public Parameters instant(String name, @Nullable Instant value) {
    return put(
        name, value != null, (statement, index) -> dialect.setInstant(statement, index, value));
  }

  /** As an array, for databases that have them. */
  public Parameters array(String name, String type, Object[] elements) {
    return put(
        name,
        (statement, index) ->
            statement.setArray(index, statement.getConnection().createArrayOf(type, elements)));
  }

  /** The list that is named {@code ids}, which must not be empty. */
  public Parameters ids(Collection<String> ids) {
    return dialect.hasArrays() ? array("ids", "varchar", ids.toArray()) : list("ids", ids);
  }

  /** As many parameters as the next power of two, so that few texts of a statement exist. */
  public Parameters list(String name, Collection<String> elements) {
    List<Value> list = new ArrayList<>();
    Value last = null;
    for (String element : elements) {
      last = (statement, index) -> statement.setString(index, element);
      list.add(last);
    }
    while (last != null && Integer.bitCount(list.size()) > 1) {
      list.add(last);
    }
    if (lists.isEmpty()) {
      lists = new HashMap<>();
    }
    lists.put(name, list);
    return this;
  }

  /** What the part between {rows} and {/rows} is repeated for. */
  public Parameters rows(List<Parameters> rows) {
    this.rows = rows;
    return this;
  }

  public List<Parameters> rows() {
    if (rows.isEmpty()) {
      throw new IllegalStateException("there are no rows");
    }
    return rows;
  }

  /** Whether a value was given that is neither null nor false. */
  public boolean has(String name) {
    int place = place(name);
    return place >= 0 && (absent >> place & 1) == 0;
  }

  /** So that each statement has a moment of its own, the same in all its places. */
  void forgetNow() {
    now = null;
  }

  /** What was given; {@code now} is the moment at which the statement is bound. */
  public Value value(String name) {
    int place = place(name);
    if (place >= 0) {
      return values[place];
    }
    if (name.equals("now")) {
      Instant moment = now == null ? Instant.now() : now;
      now = moment;
      return (statement, index) -> dialect.setInstant(statement, index, moment);
    }
    throw new IllegalStateException("parameter " + name + " has no value");
  }

  /** Names are literals, or interned where a file is read: most are found by identity. */
  @SuppressWarnings("ReferenceEquality")
  private int place(String name) {
    for (int i = 0; i < count; i++) {
      if (names[i] == name) {
        return i;
      }
    }
    for (int i = 0; i < count; i++) {
      if (names[i].equals(name)) {
        return i;
      }
    }
    return -1;
  }

  public List<Value> list(String name) {
    List<Value> list = lists.get(name);
    if (list == null || list.isEmpty()) {
      throw new IllegalStateException("list parameter " + name + " has no values");
    }
    return list;
  }

  public static long micros(Duration duration) {
    Duration bounded = duration.compareTo(LONGEST) > 0 ? LONGEST : duration;
    return TimeUnit.SECONDS.toMicros(bounded.getSeconds()) + bounded.getNano() / 1_000;
  }

  private Parameters put(String name, Value value) {
    return put(name, true, value);
  }

  private Parameters put(String name, boolean isGiven, Value value) {
    if (count == names.length) {
      names = Arrays.copyOf(names, 2 * count);
      values = Arrays.copyOf(values, 2 * count);
    }
    if (!isGiven) {
      absent |= 1L << count;
    }
    names[count] = name;
    values[count] = value;
    count++;
    return this;
  }

  /** Sets one question mark. */
  @FunctionalInterface
  interface Value {
    void set(PreparedStatement statement, int index) throws SQLException;
  }
}
