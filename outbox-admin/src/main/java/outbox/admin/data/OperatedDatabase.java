package outbox.admin.data;

import static java.util.Objects.requireNonNull;

import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.BoundedQueries.Session;
import outbox.jdbc.Row;
import outbox.metrics.Activity;
import outbox.metrics.MetricsSnapshot;

/**
 * One database with an outbox, an inbox or both, as those who operate it see it. Opens no
 * connection before the first call; takes one for each. Thread-safe.
 */
public final class OperatedDatabase {
  /** How long a statement may take unless set otherwise. */
  public static final Duration DEFAULT_TIME_LIMIT = Duration.ofSeconds(5);

  /** The time over which throughput is measured unless set otherwise. */
  public static final Duration DEFAULT_WINDOW = Duration.ofMinutes(1);

  private final Builder setup;
  private final Tables tables;
  private volatile @Nullable Presence presence;

  private OperatedDatabase(Builder setup) {
    this.setup = setup;
    this.tables = new Tables(setup, () -> presence().joins());
  }

  /** A database by the name under which people know it. */
  public static Builder builder(String name, DataSource dataSource) {
    return new Builder(name, dataSource);
  }

  public String name() {
    return setup.name;
  }

  /** How long a statement may take. */
  public Duration timeLimit() {
    return setup.timeLimit;
  }

  /** What the database calls itself, such as PostgreSQL. */
  public String product() {
    return tables.outbox().look(Session::product);
  }

  /** Which of the tables it has; asked again until there is one. */
  public Presence presence() {
    Presence known = presence;
    if (known == null) {
      known =
          new Presence(
              tables.outbox().present(), tables.inbox().present(), tables.joins().present());
      if (known.outbox() || known.inbox()) {
        presence = known;
      }
    }
    return known;
  }

  /**
   * The state of the outbox. One short transaction, whose statements read a few thousand rows of
   * each kind at the most; what was not counted to its end says so.
   */
  public MetricsSnapshot snapshot() {
    Supplier<Activity> counted = setup.activity;
    Snapshots.Look look =
        tables.outbox().look(session -> new Snapshots(session, setup.window).look());
    return MetricsSnapshot.of(look.facts(), counted == null ? look.activity() : counted.get());
  }

  /** The same for the inbox, whose sources stand for tenants. */
  public MetricsSnapshot inboxSnapshot() {
    Snapshots.Look look =
        tables.inbox().look(session -> new Snapshots(session, setup.window).look());
    return MetricsSnapshot.of(look.facts(), look.activity());
  }

  /** How the database itself feels. */
  public DatabaseFacts facts() {
    return (presence().outbox() ? tables.outbox() : tables.inbox())
        .look(session -> session.query("storage", values -> {}, OperatedDatabase::facts)).stream()
            .findFirst()
            .orElse(DatabaseFacts.UNKNOWN);
  }

  private static DatabaseFacts facts(Row row) throws SQLException {
    Long snapshot = row.number("oldest_snapshot_ms");
    return new DatabaseFacts(
        row.number("dead_tuples"),
        snapshot == null ? null : Duration.ofMillis(snapshot),
        row.number("table_bytes"),
        row.number("index_bytes"));
  }

  public OperatedEvents events() {
    return tables.events();
  }

  public OperatedInbox inbox() {
    return tables.messages();
  }

  public OperatedJoins joins() {
    return tables.operatedJoins();
  }

  /** Collects tables and settings. Not thread-safe. */
  public static final class Builder {
    final String name;
    final DataSource dataSource;
    String outboxTable = "outbox_event";
    String inboxTable = "outbox_inbox";
    String joinTable = "outbox_join";
    Duration timeLimit = DEFAULT_TIME_LIMIT;
    Duration window = DEFAULT_WINDOW;
    @Nullable Supplier<Activity> activity;
    Runnable onReplay = () -> {};
    Runnable onInboxReplay = () -> {};

    private Builder(String name, DataSource dataSource) {
      this.name = requireNonNull(name, "name");
      this.dataSource = requireNonNull(dataSource, "dataSource");
    }

    /** Another table of events than {@code outbox_event}. */
    public Builder outboxTable(String value) {
      this.outboxTable = requireNonNull(value, "outboxTable");
      return this;
    }

    /** Another table of the inbox than {@code outbox_inbox}. */
    public Builder inboxTable(String value) {
      this.inboxTable = requireNonNull(value, "inboxTable");
      return this;
    }

    /** Another table of joins than {@code outbox_join}. */
    public Builder joinTable(String value) {
      this.joinTable = requireNonNull(value, "joinTable");
      return this;
    }

    /** How long a statement may take; 5 seconds by default. */
    public Builder timeLimit(Duration value) {
      this.timeLimit = requireNonNull(value, "timeLimit");
      return this;
    }

    /**
     * Over which time throughput is measured if it is read from the table; one minute by default.
     */
    public Builder window(Duration value) {
      this.window = requireNonNull(value, "window");
      return this;
    }

    /**
     * What the outbox's dispatcher in this process has counted, instead of what the table shows:
     * completed rows that are still there.
     */
    public Builder activity(Supplier<Activity> value) {
      this.activity = requireNonNull(value, "activity");
      return this;
    }

    /** Runs after events became due by an operator, to wake the dispatcher of this process. */
    public Builder onReplay(Runnable value) {
      this.onReplay = requireNonNull(value, "onReplay");
      return this;
    }

    /** The same for messages of the inbox. */
    public Builder onInboxReplay(Runnable value) {
      this.onInboxReplay = requireNonNull(value, "onInboxReplay");
      return this;
    }

    /**
     * Makes it, and asks the database nothing yet.
     *
     * @throws IllegalArgumentException if a table has a name that no table can have
     */
    public OperatedDatabase build() {
      return new OperatedDatabase(this);
    }
  }
}
