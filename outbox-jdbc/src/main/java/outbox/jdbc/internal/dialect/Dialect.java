package outbox.jdbc.internal.dialect;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the SQL file of a database cannot say by itself. Stateless. */
public abstract class Dialect {
  /** More parameters than this go into several statements. */
  private static final int MAX_LIST = 500;

  /** Deadlock and serialization failure, as the SQL standard and PostgreSQL name them. */
  private static final Set<String> TRANSIENT = Set.of("40001", "40P01");

  private static final String DUPLICATE = "23505";

  /** The product as its driver calls it. */
  public abstract String product();

  boolean recognizes(String product, String version) {
    return product.equals(product());
  }

  /** The oldest version that is supported, as the server gives its own. */
  abstract String oldestVersion();

  /**
   * What its driver is told for connections by this URL, unless the URL says otherwise: an attempt
   * to connect must end after a few seconds. Nothing for the URL of another product.
   */
  public Map<String, String> connectSettings(String url) {
    return Map.of();
  }

  /** The SQL file of the statements, without its ending. */
  public abstract String statementFile();

  /** The folder of the schema scripts. */
  public String schemaFolder() {
    return statementFile();
  }

  /** The instant of the statement by the database's clock, as an SQL expression. */
  public abstract String now();

  /** How instants travel; always independent of the time zones of session and JVM. */
  public abstract InstantType instants();

  /**
   * Whether a statement that changes rows can return them and pass over those that are locked. Else
   * rows are locked first, changed by id, and read.
   */
  public boolean returnsRows() {
    return false;
  }

  /**
   * Whether one statement can change several tables and return what it changed. Else it takes
   * several statements under a lock.
   */
  public boolean changesInQueries() {
    return false;
  }

  /**
   * Whether an INSERT can pass over rows whose key is there. Else a violation is caught, which must
   * undo the statement and nothing else.
   */
  public boolean insertsPastDuplicates() {
    return false;
  }

  /**
   * Whether an INSERT that a taken key refuses keeps a lock where other transactions insert, until
   * its own transaction ends. Then an event is inserted without its key, and an UPDATE that can be
   * refused without such a lock gives it the key.
   */
  public boolean locksWhereInsertsAreRefused() {
    return false;
  }

  /** Whether there are statements for events with an ordering key. */
  public boolean keepsOrder() {
    return true;
  }

  /** Whether an INSERT can update the row that has its key instead. */
  public boolean upserts() {
    return false;
  }

  /** What its SQL file has for another database alone that shares the file. */
  public Set<String> statementsOfOthers() {
    return Set.of();
  }

  /** Whether sessions can notify each other: LISTEN and NOTIFY. */
  public boolean notifies() {
    return false;
  }

  /** Whether a schema is a catalog: a table named with its schema is seen from all of them. */
  public boolean schemasAreCatalogs() {
    return false;
  }

  /** Whether a list can be one parameter; else there is one parameter for each element. */
  public boolean hasArrays() {
    return false;
  }

  public final int maxIds() {
    return hasArrays() ? Integer.MAX_VALUE : MAX_LIST;
  }

  /** Whether there are stored routines for it among our resources. */
  public boolean hasRoutines() {
    return false;
  }

  /**
   * Refuses a database for which the library has no stored routines.
   *
   * @throws IllegalArgumentException with the way out
   */
  public final void requireRoutines() {
    if (!hasRoutines()) {
      throw new IllegalArgumentException(
          "there are no stored routines for "
              + product()
              + ", only for PostgreSQL and SQL Server; leave out --routines, or withRoutines()");
    }
  }

  /** What ends a statement of a script; the tool that runs it must not cut a routine in pieces. */
  public String statementEnd() {
    return ";\n\n";
  }

  /**
   * Whether all rows of a claim show the same watermark, that of all, and the same end of lease.
   */
  public boolean repeatsInstants() {
    return false;
  }

  /**
   * Whether the text of a statement over many rows must change now and then, so that its plan fits
   * the table.
   */
  public boolean keepsPlans() {
    return false;
  }

  /**
   * What keeps a transaction that only looks from being a burden: a time limit where the driver's
   * is none, and plans that read in the order of an index, whatever the statistics say.
   */
  public List<String> lookSettings(Duration timeLimit) {
    return List.of();
  }

  /** The level at which all statements of a look see one state, without making others wait. */
  public int lookLevel() {
    return Connection.TRANSACTION_REPEATABLE_READ;
  }

  /** Called when a transaction of the store itself has just been opened. */
  public void transactionBegun(Connection conn) throws SQLException {}

  /**
   * The isolation level that must be set before a transaction and set back after it. READ COMMITTED
   * where {@link #transactionBegun} sees to it, for one transaction and at no further round trip.
   */
  public int sessionLevel(Connection conn) throws SQLException {
    return conn.getTransactionIsolation();
  }

  /** Whether a statement that is atomic by itself may be tried at the connection's own level. */
  public boolean runsAlone(Connection conn) {
    return true;
  }

  /**
   * Whether a transaction that ends events fails, rather than miss a step or a wait of a join, at
   * any level of the connection.
   */
  public boolean endsAtAnyLevel() {
    return false;
  }

  /** How many events one statement inserts at the most. */
  public int maxRows() {
    return MAX_LIST;
  }

  /**
   * Whether a plain read of a caller at REPEATABLE READ may miss what a change of the same rows
   * would find, without an error.
   */
  public boolean readsOldSnapshots() {
    return false;
  }

  /** Whether the same transaction may succeed if it is simply tried again. */
  public boolean isTransient(SQLException e) {
    String state = e.getSQLState();
    return state != null && TRANSIENT.contains(state);
  }

  /** Ends a statement in the server. Called by another thread than the one that runs it. */
  public void cancel(Connection conn, Statement statement) throws SQLException {
    statement.cancel();
  }

  /** Whether a row was refused because another has its key. */
  public boolean isDuplicate(SQLException e) {
    return DUPLICATE.equals(e.getSQLState());
  }

  /** What a session must be set to before it changes the schema. */
  public List<String> schemaSettings() {
    return List.of();
  }

  /** Whether no other node changes the schema now; then none does until {@link #unlockSchema}. */
  public abstract boolean tryLockSchema(Connection conn, String key) throws SQLException;

  /** Also called with a connection that is closed, and its lock in the database with it. */
  public abstract void unlockSchema(Connection conn, String key) throws SQLException;

  /** Makes this transaction give up soon when it has to wait for a lock. */
  public List<String> shortLockWaits() {
    return List.of();
  }

  /** Makes this session wait as long as it takes. */
  public List<String> longWaits() {
    return List.of();
  }

  /** Takes back what the two above set. */
  public List<String> usualWaits() {
    return List.of();
  }

  /** Whether the statement failed because it did not get a lock in time. */
  public boolean isLockTimeout(SQLException e) {
    return false;
  }

  /** Whether the statement failed because what it adds or drops is there or gone already. */
  public boolean isDoneAlready(SQLException e) {
    return false;
  }

  /** The statement of a script in a form that lets others write meanwhile. */
  public String online(String sql) {
    return sql;
  }

  /**
   * The statement of a script in the form for a table whose texts have another character set than
   * the one that they are to have: it keeps writers out if they cannot be converted otherwise.
   */
  public String convertingCharacters(String sql) {
    return sql;
  }

  /**
   * What takes the table for a statement that needs it alone at its end: it must not find out then,
   * after long work, that a transaction still reads, and do it all again.
   */
  public List<String> tableLocks(String sql, TableName table) {
    return List.of();
  }

  public List<String> tableUnlock() {
    return List.of();
  }

  /**
   * Whether an index is built outside of any transaction, and no statement has to wait behind it.
   */
  public boolean buildsIndexesAside() {
    return false;
  }

  /** More than one where two nodes cannot be kept apart, and every script can be run again. */
  public int schemaTries() {
    return 1;
  }

  public final void setInstant(PreparedStatement statement, int index, @Nullable Instant value)
      throws SQLException {
    instants().set(statement, index, value);
  }

  public final @Nullable Instant getInstant(ResultSet row, String column) throws SQLException {
    return instants().get(row, column);
  }
}
