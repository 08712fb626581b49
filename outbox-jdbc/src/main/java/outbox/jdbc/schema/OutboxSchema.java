package outbox.jdbc.schema;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.ZoneId;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.schema.Backfill;
import outbox.jdbc.internal.schema.Finalization;
import outbox.jdbc.internal.schema.Migration;
import outbox.jdbc.internal.schema.SchemaCatalog;
import outbox.jdbc.internal.schema.SchemaDeployment;
import outbox.jdbc.internal.schema.SchemaScripts;
import outbox.jdbc.internal.schema.SchemaSession;
import outbox.jdbc.internal.schema.SchemaVersion;
import outbox.jdbc.internal.sql.JoinTables;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoreException;

/**
 * Creates and upgrades the outbox table, on request with the tables of joins and the stored
 * routines. Nothing happens unless {@link #deploy} is called; for other ways of deployment, {@link
 * SchemaScript} has the scripts. Thread-safe.
 */
public final class OutboxSchema {
  private final ConnectionProvider connections;
  private final Options options;

  private OutboxSchema(ConnectionProvider connections, Options options) {
    this.connections = connections;
    this.options = options;
  }

  /** Returns the schema with the default table, {@code outbox_event}. */
  public static OutboxSchema of(DataSource dataSource) {
    return of(requireNonNull(dataSource, "dataSource")::getConnection);
  }

  /** Returns the schema with the default table. Each connection is closed after its use. */
  public static OutboxSchema of(ConnectionProvider connections) {
    return new OutboxSchema(requireNonNull(connections, "connections"), new Options());
  }

  /** Changes the table: a name, or a schema and a name with a dot between them. */
  public OutboxSchema tableName(String tableName) {
    TableName name = TableName.of(tableName);
    return with(changed -> changed.table = name);
  }

  /** Adds the tables of joins: {@code outbox_join}, with its steps and its waits. */
  public OutboxSchema withJoins() {
    return with(changed -> changed.joins = JoinTables.DEFAULT);
  }

  /** Adds the tables of joins, whose names begin with another one than {@code outbox_join}. */
  public OutboxSchema withJoins(String joinTableName) {
    JoinTables names = JoinTables.of(joinTableName);
    return with(changed -> changed.joins = names);
  }

  /**
   * Adds the stored routines for callers that use SQL, on PostgreSQL and SQL Server; those of joins
   * as well if these are added. {@link #deploy} replaces routines that differ from this library's,
   * unless a newer version of the schema is installed. The library itself calls no routine.
   */
  public OutboxSchema withRoutines() {
    return with(changed -> changed.routines = true);
  }

  /** Limits how many rows of older versions a migration fills in per second. */
  public OutboxSchema backfillRate(int rowsPerSecond) {
    if (rowsPerSecond < 1) {
      throw new IllegalArgumentException(
          "rowsPerSecond (" + rowsPerSecond + ") must be at least 1");
    }
    return with(changed -> changed.rowsPerSecond = rowsPerSecond);
  }

  /** Lets {@link #finalizeUpgrade()} run although a node of an older version seems to run. */
  public OutboxSchema forced() {
    return with(changed -> changed.forced = true);
  }

  /**
   * Converts the times of a table of version 1 from this zone to UTC before the migration. For
   * MariaDB, MySQL and SQL Server, whose columns carry no zone, if version 1 wrote local time. No
   * node of version 1 may run then. UTC takes the times as they are. Has no effect on other
   * databases or on a table that is migrated already.
   */
  public OutboxSchema version1Zone(ZoneId zone) {
    requireNonNull(zone, "zone");
    return with(changed -> changed.version1Zone = zone);
  }

  /**
   * Permits steps that make the writers of a table in use wait. Some steps of an upgrade on MariaDB
   * and MySQL copy the table or build an index while all writers wait. Without this permission,
   * {@link #deploy}, {@link #migrate} and {@link #finalizeUpgrade()} refuse to begin such steps on
   * a table of more than {@value Migration#SMALL_TABLE} rows. Has no effect on other databases.
   */
  public OutboxSchema allowLocking() {
    return with(changed -> changed.locking = true);
  }

  private OutboxSchema with(Consumer<Options> change) {
    Options changed = new Options(options);
    change.accept(changed);
    return new OutboxSchema(connections, changed);
  }

  /**
   * Creates what is missing. On an empty database this runs the one script that {@link #script}
   * returns. An older table is migrated while it is in use, and keeps what nodes of version 1 need
   * until {@link #finalizeUpgrade()}. May be called any number of times, by several nodes at once.
   */
  public void deploy() {
    inSession(session -> deploy(session, progress -> {}));
  }

  /**
   * As {@link #deploy}, reporting progress: at the beginning of each step, and a few times a second
   * while rows are filled in. Also fills in the rows that nodes of an older version have written
   * since the last call. An older table with millions of rows takes minutes; if the call is
   * interrupted, the next one continues from there.
   */
  public void migrate(Consumer<MigrationProgress> listener) {
    requireNonNull(listener, "listener");
    inSession(
        session -> {
          if (deploy(session, listener) >= SchemaVersion.CURRENT) {
            migration(session, listener).fill();
          }
        });
  }

  /** Returns the version that was there before. */
  private int deploy(SchemaSession session, Consumer<MigrationProgress> listener)
      throws SQLException {
    if (options.routines) {
      session.dialect().requireRoutines();
    }
    int before = installed(session);
    if (before == 0) {
      session.inTransaction(SchemaDeployment::createTable);
    }
    migration(session, listener).run(installed(session));
    JoinTables joins = options.joins;
    if (joins != null) {
      session.inTransaction(locked -> SchemaDeployment.joins(locked, joins));
    }
    if (options.routines && before <= SchemaVersion.CURRENT) {
      session.inTransaction(locked -> SchemaDeployment.routines(locked, joins));
    }
    return before;
  }

  private static int installed(SchemaSession session) {
    return SchemaVersion.installed(session.connection(), session.statements());
  }

  private Migration migration(SchemaSession session, Consumer<MigrationProgress> listener) {
    return new Migration(session, meter(listener), options.rowsPerSecond, options.version1Zone);
  }

  /**
   * Ends an upgrade: drops what only version 1 used, its payload column and its index, and requires
   * a key of every row. Call it once no node of an older version runs any more.
   *
   * @throws IllegalStateException if rows of the last minutes look as if such a node still ran,
   *     unless it is {@link #forced}; or if writers would have to wait for a large table, unless
   *     {@link #allowLocking} is set
   */
  public void finalizeUpgrade() {
    finalizeUpgrade(progress -> {});
  }

  /** As {@link #finalizeUpgrade()}, reporting progress. */
  public void finalizeUpgrade(Consumer<MigrationProgress> listener) {
    requireNonNull(listener, "listener");
    inSession(
        session -> {
          deploy(session, listener);
          new Finalization(session, meter(listener), new Backfill(options.rowsPerSecond))
              .run(options.forced);
        });
  }

  /** Compares what is there with what is needed. Changes nothing. */
  public SchemaStatus check() {
    return onConnection(
        conn ->
            new SchemaCheck(conn, Dialects.of(conn), options.table)
                .run(options.joins, options.routines));
  }

  /** Returns how many rows have no key: 0 once everything is migrated. Reads all rows. */
  public long rowsWithoutKey() {
    return onConnection(
        conn -> new SchemaCatalog(conn, Dialects.of(conn), options.table).rowsWithoutKey());
  }

  /** Returns the script that {@link #deploy} runs on an empty database of this product. */
  public String script() {
    return onConnection(conn -> script(Dialects.of(conn)));
  }

  private String script(Dialect dialect) {
    SchemaScripts scripts = new SchemaScripts(dialect, options.table);
    return scripts.outbox()
        + (options.joins == null ? "" : "\n" + scripts.joins(options.joins))
        + (options.routines ? "\n" + scripts.routines(options.joins) : "");
  }

  /**
   * Returns the statements that bring a table of an older version to the newest. They change all
   * rows at once; for a large table in use, {@link #deploy} works in chunks. This database says
   * whether its table of version 2 still has payloads of version 1; without a table here, the
   * script expects them.
   */
  public String upgradeScript(int fromVersion) {
    return onConnection(
        conn -> {
          Dialect dialect = Dialects.of(conn);
          boolean payloads = fromVersion < 2 || !isFinalized(conn, dialect);
          return new SchemaScripts(dialect, options.table).upgradeText(fromVersion, payloads);
        });
  }

  /** Returns whether this database has the table, without the column of version 1. */
  private boolean isFinalized(Connection conn, Dialect dialect) {
    SchemaCatalog catalog = new SchemaCatalog(conn, dialect, options.table);
    return !catalog.columns().isEmpty() && !catalog.hasVersion1();
  }

  /**
   * Checks that this library can work on the tables. Changes nothing.
   *
   * @throws UnusableSchemaException if it cannot, with the way out
   */
  public void require() {
    JoinTables joins = options.joins;
    SchemaStatus status = onConnection(this::needed);
    if (!status.isUsable()) {
      String name = joins == null || joins.areDefault() ? "" : joins.joins().toString();
      String options = joins == null ? "" : name.isEmpty() ? " --joins" : " --joins=" + name;
      String call = joins == null ? "" : ".withJoins(" + quoted(name) + ")";
      throw new UnusableSchemaException(
          status, options, "OutboxSchema.of(dataSource)" + call, joins != null);
    }
  }

  private static String quoted(String name) {
    return name.isEmpty() ? "" : "\"" + name + "\"";
  }

  /** Of the tables of joins, looks only whether they exist. */
  private SchemaStatus needed(Connection conn) {
    JoinTables joins = options.joins;
    Dialect dialect = Dialects.of(conn);
    SchemaStatus events = new SchemaCheck(conn, dialect, options.table).run(null, false);
    if (joins == null || !events.isUsable()) {
      return events;
    }
    boolean there = !new SchemaCatalog(conn, dialect, joins.joins()).columns().isEmpty();
    return there ? events : SchemaStatus.missing(joins.joins().toString());
  }

  private ProgressMeter meter(Consumer<MigrationProgress> listener) {
    return new ProgressMeter(options.table, listener);
  }

  private void inSession(SchemaSession.Change change) {
    try (SchemaSession session = SchemaSession.open(connections, options.table)) {
      session.mayLock(options.locking);
      change.apply(session);
    } catch (SQLException e) {
      throw new StoreException("schema of " + options.table + " could not be deployed", e);
    }
  }

  private <T> T onConnection(Function<Connection, T> question) {
    try (Connection conn = connections.getConnection()) {
      return question.apply(conn);
    } catch (SQLException e) {
      throw new StoreException("the database cannot be reached", e);
    }
  }

  /** Not changed once a schema has them. */
  private static final class Options {
    TableName table = TableName.DEFAULT;
    @Nullable JoinTables joins;
    boolean routines;
    int rowsPerSecond;
    boolean forced;
    @Nullable ZoneId version1Zone;
    boolean locking;

    Options() {}

    Options(Options other) {
      this.table = other.table;
      this.joins = other.joins;
      this.routines = other.routines;
      this.rowsPerSecond = other.rowsPerSecond;
      this.forced = other.forced;
      this.version1Zone = other.version1Zone;
      this.locking = other.locking;
    }
  }
}
