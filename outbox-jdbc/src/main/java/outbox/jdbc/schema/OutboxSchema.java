package outbox.jdbc.schema;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
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
 * Creates and upgrades the outbox table and its stored routines. Nothing happens unless {@link
 * #deploy} is called; those who deploy their schema by other means take {@link #script}.
 * Thread-safe.
 */
public final class OutboxSchema {
  private final ConnectionProvider connections;
  private final TableName table;
  private final @Nullable JoinTables joins;
  private final int rowsPerSecond;
  private final boolean forced;
  private final @Nullable ZoneId version1Zone;
  private final boolean locking;

  private OutboxSchema(
      ConnectionProvider connections,
      TableName table,
      @Nullable JoinTables joins,
      int rowsPerSecond,
      boolean forced,
      @Nullable ZoneId version1Zone,
      boolean locking) {
    this.connections = connections;
    this.table = table;
    this.joins = joins;
    this.rowsPerSecond = rowsPerSecond;
    this.forced = forced;
    this.version1Zone = version1Zone;
    this.locking = locking;
  }

  /** The schema with the default table, {@code outbox_event}. */
  public static OutboxSchema of(DataSource dataSource) {
    return of(requireNonNull(dataSource, "dataSource")::getConnection);
  }

  /** The schema with the default table, by connections that are closed after each use. */
  public static OutboxSchema of(ConnectionProvider connections) {
    requireNonNull(connections, "connections");
    return new OutboxSchema(connections, TableName.DEFAULT, null, 0, false, null, false);
  }

  /** The same for another table: a name, or a schema and a name with a dot between. */
  public OutboxSchema tableName(String tableName) {
    return new OutboxSchema(
        connections, TableName.of(tableName), joins, rowsPerSecond, forced, version1Zone, locking);
  }

  /** The same with the tables of joins: {@code outbox_join}, with its steps and its waits. */
  public OutboxSchema withJoins() {
    return new OutboxSchema(
        connections, table, JoinTables.DEFAULT, rowsPerSecond, forced, version1Zone, locking);
  }

  /** The same with tables of joins that begin with another name than {@code outbox_join}. */
  public OutboxSchema withJoins(String joinTableName) {
    return new OutboxSchema(
        connections,
        table,
        JoinTables.of(joinTableName),
        rowsPerSecond,
        forced,
        version1Zone,
        locking);
  }

  /** The same, filling in no more than so many rows of older versions in a second. */
  public OutboxSchema backfillRate(int rowsPerSecond) {
    if (rowsPerSecond < 1) {
      throw new IllegalArgumentException(
          "rowsPerSecond (" + rowsPerSecond + ") must be at least 1");
    }
    return new OutboxSchema(
        connections, table, joins, rowsPerSecond, forced, version1Zone, locking);
  }

  /** The same, finalizing although a node of an older version seems to run. */
  public OutboxSchema forced() {
    return new OutboxSchema(connections, table, joins, rowsPerSecond, true, version1Zone, locking);
  }

  /**
   * The same, converting the times of a table of version 1 from this zone to UTC before it is
   * migrated. For MariaDB, MySQL and SQL Server, whose columns carry no zone, where version 1 wrote
   * local time. No node of version 1 may run then. UTC takes the times as they are. Of no effect on
   * other databases and on a table that is migrated already.
   */
  public OutboxSchema version1Zone(ZoneId zone) {
    return new OutboxSchema(
        connections, table, joins, rowsPerSecond, forced, requireNonNull(zone, "zone"), locking);
  }

  /**
   * Returns this schema with leave to keep writers out of a table that is in use. Some steps of an
   * upgrade on MariaDB and MySQL copy the table or build an index while all writers wait. Without
   * this leave, {@link #deploy}, {@link #migrate} and {@link #finalizeUpgrade()} refuse to begin
   * such steps on a table of more than {@value Migration#SMALL_TABLE} rows. Of no effect on other
   * databases.
   */
  public OutboxSchema allowLocking() {
    return new OutboxSchema(connections, table, joins, rowsPerSecond, forced, version1Zone, true);
  }

  /**
   * Creates what is missing. A new table comes without the remains of version 1; an existing one is
   * migrated while it is in use, and keeps them, so that nodes of version 1 can go on until {@link
   * #finalizeUpgrade}. Stored routines that differ from this library's are replaced, unless a newer
   * version of the schema came with them. May be called any number of times, by several nodes at
   * once.
   */
  public void deploy() {
    inSession(session -> deploy(session, progress -> {}));
  }

  /**
   * The same, telling at the beginning of each step, and a few times a second while rows are filled
   * in, how far it is, and giving a key to what nodes of an older version have written since the
   * last time. An older table with millions of rows takes minutes; whatever cuts that off, the next
   * call goes on from there.
   */
  public void migrate(Consumer<MigrationProgress> listener) {
    requireNonNull(listener, "listener");
    inSession(
        session -> {
          if (deploy(session, listener) >= SchemaVersion.CURRENT) {
            new Migration(session, meter(listener), rowsPerSecond, version1Zone).fill();
          }
        });
  }

  /** Returns the version that was there before. */
  private int deploy(SchemaSession session, Consumer<MigrationProgress> listener)
      throws SQLException {
    int installed = SchemaVersion.installed(session.connection(), session.statements());
    if (installed == 0) {
      session.inTransaction(SchemaDeployment::createTable);
    } else {
      new Migration(session, meter(listener), rowsPerSecond, version1Zone).run(installed);
    }
    session.inTransaction(locked -> SchemaDeployment.addOns(locked, installed, joins));
    return installed;
  }

  /**
   * Drops what only version 1 used, its payload column and its index, and requires a key of every
   * row. To be called after an upgrade, once no node of an older version runs any more.
   *
   * @throws IllegalStateException if rows of the last minutes look as if such a node still ran,
   *     unless it is {@link #forced}; or if writers would have to wait for a large table, unless
   *     {@link #allowLocking} is set
   */
  public void finalizeUpgrade() {
    finalizeUpgrade(progress -> {});
  }

  /** The same, telling how far it is. */
  public void finalizeUpgrade(Consumer<MigrationProgress> listener) {
    requireNonNull(listener, "listener");
    inSession(
        session -> {
          deploy(session, listener);
          new Finalization(session, meter(listener), new Backfill(rowsPerSecond)).run(forced);
        });
  }

  /** Compares what is there with what is needed. Changes nothing. */
  public SchemaStatus check() {
    return onConnection(conn -> new SchemaCheck(conn, Dialects.of(conn), table).run(joins));
  }

  /** How many rows are still without a key: none, once everything is migrated. Reads all rows. */
  public long rowsWithoutKey() {
    return onConnection(conn -> new SchemaCatalog(conn, Dialects.of(conn), table).rowsWithoutKey());
  }

  /** All statements that {@link #deploy} runs on an empty database of this product. */
  public String script() {
    return onConnection(conn -> script(Dialects.of(conn), new ArrayList<>()));
  }

  private String script(Dialect dialect, List<String> statements) {
    statements.addAll(new SchemaScripts(dialect, table).fresh());
    if (joins != null) {
      statements.addAll(new SchemaScripts(dialect, table).joins(joins));
    }
    return SchemaScripts.text(dialect, statements);
  }

  /**
   * The statements that bring a table of an older version to the newest. They change all rows at
   * once; for a table that is large and in use, {@link #deploy} does it in chunks. Whether a table
   * of version 2 still has payloads of version 1 is looked up in this database; without a table
   * here, it is taken to have them.
   */
  public String upgradeScript(int fromVersion) {
    if (fromVersion < 1 || fromVersion >= SchemaVersion.CURRENT) {
      throw new IllegalArgumentException(
          "fromVersion ("
              + fromVersion
              + ") must be at least 1 and less than "
              + SchemaVersion.CURRENT);
    }
    return onConnection(
        conn -> {
          Dialect dialect = Dialects.of(conn);
          boolean finalized = isFinalized(conn, dialect);
          return SchemaScripts.text(
              dialect,
              new SchemaScripts(dialect, table)
                  .upgrade(fromVersion, fromVersion < 2 || !finalized));
        });
  }

  /** Whether this very database has the table, and without version 1's column. */
  private boolean isFinalized(Connection conn, Dialect dialect) {
    SchemaCatalog catalog = new SchemaCatalog(conn, dialect, table);
    return !catalog.columns().isEmpty() && !catalog.hasVersion1();
  }

  /**
   * The statements that {@link #finalizeUpgrade()} runs, for all rows at once. They check nothing:
   * whoever runs them must know that no node of an older version runs any more.
   */
  public String finalizeScript() {
    return onConnection(
        conn -> {
          Dialect dialect = Dialects.of(conn);
          return SchemaScripts.text(dialect, new SchemaScripts(dialect, table).finalizeUpgrade());
        });
  }

  /**
   * Checks that this library can work on the tables. Changes nothing.
   *
   * @throws UnusableSchemaException if it cannot, with the way out
   */
  public void require() {
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

  /** Of the tables of joins it is enough that they are there. */
  private SchemaStatus needed(Connection conn) {
    Dialect dialect = Dialects.of(conn);
    SchemaStatus events = new SchemaCheck(conn, dialect, table).run(null);
    if (joins == null || !events.isUsable()) {
      return events;
    }
    boolean there = !new SchemaCatalog(conn, dialect, joins.joins()).columns().isEmpty();
    return there ? events : SchemaStatus.missing(joins.joins().toString());
  }

  private ProgressMeter meter(Consumer<MigrationProgress> listener) {
    return new ProgressMeter(table, listener);
  }

  private void inSession(SchemaSession.Change change) {
    try (SchemaSession session = SchemaSession.open(connections, table)) {
      session.mayLock(locking);
      change.apply(session);
    } catch (SQLException e) {
      throw new StoreException("schema of " + table + " could not be deployed", e);
    }
  }

  private <T> T onConnection(Function<Connection, T> question) {
    try (Connection conn = connections.getConnection()) {
      return question.apply(conn);
    } catch (SQLException e) {
      throw new StoreException("the database cannot be reached", e);
    }
  }
}
