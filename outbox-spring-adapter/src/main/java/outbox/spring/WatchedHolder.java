package outbox.spring;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHandle;
import org.springframework.jdbc.datasource.ConnectionHolder;
import outbox.spi.TransactionWatch;
import outbox.spi.TransactionWatch.SavepointListener;

/**
 * Takes the place of the holder that a transaction manager has bound, so that the application works
 * on a watched connection. The manager keeps its own holder and ends the transaction there;
 * whatever it sets or asks for on this one goes to its own.
 */
final class WatchedHolder extends ConnectionHolder {
  private final ConnectionHolder own;
  private final WatchedHandle handle;

  WatchedHolder(ConnectionHolder own, boolean transactionActive) {
    this(own, new WatchedHandle(own));
    setTransactionActive(transactionActive);
    setSynchronizedWithTransaction(own.isSynchronizedWithTransaction());
  }

  private WatchedHolder(ConnectionHolder own, WatchedHandle handle) {
    super(handle);
    this.own = own;
    this.handle = handle;
  }

  /** Tells the listener of the savepoints that are set on the connection itself. */
  void addListener(SavepointListener listener) {
    handle.listeners.add(listener);
    if (handle.watch != null) {
      handle.watch.addListener(listener);
    }
  }

  /** Whether the database has given the transaction up, whichever statement failed. */
  boolean isAborted() {
    return PostgresState.isAborted(own.getConnection());
  }

  /** Whether something speaks against the commit of the transaction. */
  boolean isInDoubt() {
    return handle.watch != null && handle.watch.isInDoubt();
  }

  @Override
  public void setRollbackOnly() {
    own.setRollbackOnly();
  }

  @Override
  public void resetRollbackOnly() {
    own.resetRollbackOnly();
  }

  @Override
  public boolean isRollbackOnly() {
    return own.isRollbackOnly();
  }

  @Override
  public boolean hasTimeout() {
    return own.hasTimeout();
  }

  @Override
  public @Nullable Date getDeadline() {
    return own.getDeadline();
  }

  @Override
  public int getTimeToLiveInSeconds() {
    return own.getTimeToLiveInSeconds();
  }

  @Override
  public long getTimeToLiveInMillis() {
    return own.getTimeToLiveInMillis();
  }

  @Override
  public boolean supportsSavepoints() throws SQLException {
    return own.supportsSavepoints();
  }

  /**
   * The manager's own holder numbers the savepoints of the transaction. The manager releases them
   * and rolls back to them on the watched connection, which needs to know them.
   */
  @Override
  public Savepoint createSavepoint() throws SQLException {
    Savepoint savepoint = own.createSavepoint();
    handle.watch().savepointSet(savepoint);
    return savepoint;
  }

  /** Gets the connection when it is needed: Hibernate takes none from the pool before. */
  private static final class WatchedHandle implements ConnectionHandle {
    private final ConnectionHolder own;
    private final List<SavepointListener> listeners = new ArrayList<>(1);
    private @Nullable TransactionWatch watch;

    private WatchedHandle(ConnectionHolder own) {
      this.own = own;
    }

    @Override
    public Connection getConnection() {
      return watch().connection();
    }

    private TransactionWatch watch() {
      TransactionWatch mine = watch;
      if (mine == null) {
        mine = TransactionWatch.on(own.getConnection());
        listeners.forEach(mine::addListener);
        watch = mine;
      }
      return mine;
    }
  }
}
