package outbox.admin.data;

import static java.util.Objects.requireNonNull;

import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.admin.metrics.HealthThresholds;
import outbox.admin.metrics.MetricsSnapshot;
import outbox.jdbc.internal.query.BoundedQueries.Session;
import outbox.jdbc.internal.query.Row;
import outbox.join.JoinCoordinator;
import outbox.metrics.Activity;

/**
 * One database with an outbox, an inbox or both, as those who operate it see it. Opens no
 * connection before the first call; takes one for each. Thread-safe.
 */
public final class OperatedDatabase {
  /** How long a statement may take unless set otherwise. */
  public static final Duration DEFAULT_TIME_LIMIT = Duration.ofSeconds(5);

  /** The time over which throughput is measured unless set otherwise. */
  public static final Duration DEFAULT_WINDOW = Duration.ofMinutes(1);

  /** How often a pending message must have failed to be an old failure unless set otherwise. */
  public static final int DEFAULT_OLD_FAILURES = 3;

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

  /** Returns the name by which operators know the database. */
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
   * The state of the outbox, counted as far as {@link HealthThresholds#DEFAULT} needs it. Messages
   * that the library sends to itself are in none of its figures unless they are dead.
   */
  public MetricsSnapshot snapshot() {
    return snapshot(HealthThresholds.DEFAULT);
  }

  /**
   * As {@link #snapshot()}, with backlog and dead letters counted as far as these limits need it.
   * One transaction, each of whose statements reads a bounded number of rows; what was not counted
   * to its end says so.
   */
  public MetricsSnapshot snapshot(HealthThresholds limits) {
    Supplier<Activity> counted = setup.activity;
    boolean mayHaveWaits = presence().joins() && tables.operatedJoins().anyWait();
    Snapshots.Look look = look(tables.outbox(), limits, setup.waitTopic, mayHaveWaits);
    return MetricsSnapshot.of(look.facts(), counted == null ? look.activity() : counted.get());
  }

  /** The state of the inbox, whose sources stand for tenants, as {@link #snapshot()}. */
  public MetricsSnapshot inboxSnapshot() {
    return inboxSnapshot(HealthThresholds.DEFAULT);
  }

  /** The state of the inbox, as {@link #snapshot(HealthThresholds)}. */
  public MetricsSnapshot inboxSnapshot(HealthThresholds limits) {
    Snapshots.Look look = look(tables.inbox(), limits, "", false);
    return MetricsSnapshot.of(look.facts(), look.activity());
  }

  private Snapshots.Look look(
      Looks table, HealthThresholds limits, String internal, boolean mayHaveWaits) {
    requireNonNull(limits, "limits");
    return table.look(
        session -> new Snapshots(session, setup, limits, internal, mayHaveWaits).look());
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

  /** Returns the events of the outbox. */
  public OperatedEvents events() {
    return tables.events();
  }

  /** Returns the messages of the inbox. */
  public OperatedInbox inbox() {
    return tables.messages();
  }

  /** Returns the joins. */
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
    int oldFailures = DEFAULT_OLD_FAILURES;
    String waitTopic = JoinCoordinator.DEFAULT_WAIT_TOPIC;
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
     * The time over which throughput and failure ratio are measured if they are read from the
     * table; one minute by default.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public Builder window(Duration value) {
      if (value.isNegative() || value.isZero()) {
        throw new IllegalArgumentException("window (" + value + ") must be positive");
      }
      this.window = value;
      return this;
    }

    /**
     * From how many failed deliveries on a pending message is an old failure; {@value
     * OperatedDatabase#DEFAULT_OLD_FAILURES} by default.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public Builder oldFailures(int value) {
      if (value < 1) {
        throw new IllegalArgumentException("oldFailures (" + value + ") must be 1 or more");
      }
      this.oldFailures = value;
      return this;
    }

    /**
     * The topic of the messages that wait for joins, which are the library's own: no figure counts
     * them and no list shows them unless asked for. {@value JoinCoordinator#DEFAULT_WAIT_TOPIC} by
     * default.
     */
    public Builder waitTopic(String value) {
      this.waitTopic = requireNonNull(value, "waitTopic");
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

    /**
     * Sets what runs after messages of the inbox were replayed, to wake the process that handles
     * them.
     */
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
