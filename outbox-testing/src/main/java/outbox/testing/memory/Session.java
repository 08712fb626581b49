package outbox.testing.memory;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.spi.StoreException;

/**
 * The transaction of one connection: an undo log, newest change last. A change takes the row's
 * lock, and undoing it gives the lock back. Like the connection, it serves one thread at a time.
 */
final class Session {
  private final Rows rows;
  private final List<Change> log = new ArrayList<>();
  private boolean autoCommit = true;
  private boolean closed;

  Session(Rows rows) {
    this.rows = rows;
  }

  static Session of(Connection connection, Rows rows) {
    try {
      if (connection.isWrapperFor(Session.class)) {
        Session session = connection.unwrap(Session.class);
        if (session.rows == rows) {
          return session;
        }
      }
    } catch (SQLException e) {
      throw new StoreException("connection cannot be unwrapped", e);
    }
    throw new IllegalArgumentException(
        "connection (" + connection + ") is not of this in-memory store; use its connections()");
  }

  /** Runs one statement: all of it or, if it throws, nothing of it happens. */
  <T> T execute(Statement<T> statement) {
    int mark = log.size();
    rows.lock.lock();
    try {
      requireOpen();
      T result = statement.run();
      if (autoCommit) {
        commitLog();
      }
      return result;
    } catch (SQLException e) {
      undoTo(mark);
      throw new StoreException("in-memory store: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      undoTo(mark);
      throw e;
    } finally {
      rows.lock.unlock();
    }
  }

  void write(Rows.Row row, @Nullable StoredEvent state) {
    StoredEvent before = row.seenBy(this);
    Session writerBefore = row.writer();
    log.add(
        new Change() {
          @Override
          public void undo() {
            rows.write(row, before, writerBefore);
          }

          @Override
          public void commit() {
            rows.commit(row);
          }
        });
    rows.write(row, state, this);
  }

  /** Runs the action when what this transaction does from here on is undone. */
  void onUndo(Runnable action) {
    log.add(action::run);
  }

  /** Runs the one or the other when what this transaction does from here on ends. */
  void onEnd(Runnable undo, Runnable commit) {
    log.add(
        new Change() {
          @Override
          public void undo() {
            undo.run();
          }

          @Override
          public void commit() {
            commit.run();
          }
        });
  }

  boolean isAutoCommit() {
    return autoCommit;
  }

  boolean isClosed() {
    return closed;
  }

  void setAutoCommit(boolean autoCommit) throws SQLException {
    requireOpen();
    if (autoCommit && !this.autoCommit) {
      commit();
    }
    this.autoCommit = autoCommit;
  }

  /** Several statements as one transaction; joins one that is open. */
  <T> T inTransaction(Supplier<T> work) {
    if (!autoCommit) {
      return work.get();
    }
    autoCommit = false;
    try {
      T result = work.get();
      commit();
      return result;
    } catch (SQLException e) {
      throw new StoreException("in-memory store: " + e.getMessage(), e);
    } finally {
      rollbackTo(0);
      autoCommit = true;
    }
  }

  void commit() throws SQLException {
    requireTransaction("commit");
    rows.lock.lock();
    try {
      commitLog();
    } finally {
      rows.lock.unlock();
    }
  }

  void rollback() throws SQLException {
    requireTransaction("rollback");
    rollbackTo(0);
  }

  Savepoint savepoint(@Nullable String name) throws SQLException {
    requireTransaction("setSavepoint");
    return new Mark(this, name, log.size());
  }

  void rollback(Savepoint savepoint) throws SQLException {
    requireTransaction("rollback to a savepoint");
    rollbackTo(mark(savepoint).position);
  }

  void release(Savepoint savepoint) throws SQLException {
    requireTransaction("releaseSavepoint");
    mark(savepoint).released = true;
  }

  void close() {
    if (!closed) {
      rollbackTo(0);
      closed = true;
    }
  }

  void requireOpen() throws SQLException {
    if (closed) {
      throw new SQLNonTransientConnectionException("connection is closed", "08003");
    }
  }

  private void requireTransaction(String call) throws SQLException {
    requireOpen();
    if (autoCommit) {
      throw new SQLException(call + " needs autoCommit off", "25000");
    }
  }

  private Mark mark(Savepoint savepoint) throws SQLException {
    if (savepoint instanceof Mark mark
        && mark.session == this
        && !mark.released
        && mark.position <= log.size()) {
      return mark;
    }
    throw new SQLException("savepoint is not of this transaction", "3B001");
  }

  private void commitLog() {
    log.forEach(Change::commit);
    log.clear();
  }

  private void rollbackTo(int position) {
    rows.lock.lock();
    try {
      undoTo(position);
    } finally {
      rows.lock.unlock();
    }
  }

  private void undoTo(int position) {
    for (int i = log.size() - 1; i >= position; i--) {
      log.remove(i).undo();
    }
  }

  /** What a statement does while it holds the table. */
  @FunctionalInterface
  interface Statement<T> {
    T run() throws SQLException;
  }

  /** One entry of the undo log. */
  @FunctionalInterface
  private interface Change {
    void undo();

    default void commit() {}
  }

  private static final class Mark implements Savepoint {
    private final Session session;
    private final @Nullable String name;
    private final int position;
    private boolean released;

    private Mark(Session session, @Nullable String name, int position) {
      this.session = session;
      this.name = name;
      this.position = position;
    }

    @Override
    public int getSavepointId() {
      return position;
    }

    @Override
    public @Nullable String getSavepointName() {
      return name;
    }
  }
}
