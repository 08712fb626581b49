package outbox.spi;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.internal.watch.TransactionHabits;
import outbox.internal.watch.WatchedConnection;

/**
 * Watches the connection of one transaction for what its commit does not tell: databases roll a
 * transaction back after a failed statement, and the commit that follows returns normally. A commit
 * is believed only if nothing speaks against it.
 *
 * <p>A transaction is in doubt after a statement has failed, after SQL text has controlled the
 * transaction ({@code ROLLBACK}, {@code SAVEPOINT}) or committed it by itself ({@code TRUNCATE} on
 * MariaDB, MySQL and H2), after the application has unwrapped a JDBC object of it, and after a
 * commit or rollback that its manager did not perform. Statements, result sets and metadata hand
 * out the watched connection, not the driver's. Watching costs no statement.
 *
 * <p>Belongs to the thread of its transaction.
 */
public final class TransactionWatch {
  private final Connection target;
  private final WatchedConnection watched;
  private final @Nullable String wayOut;
  private final List<SavepointListener> listeners = new ArrayList<>(1);
  private final IdentityHashMap<Savepoint, State> savepoints = new IdentityHashMap<>();
  private State state = State.SOUND;
  private TransactionHabits habits = TransactionHabits.UNKNOWN;
  private boolean proving;

  /** Learns of the savepoints that are set, released and rolled back to. */
  public interface SavepointListener {
    /** Called after a savepoint was set. */
    void savepointSet(Savepoint savepoint);

    /** Called after a savepoint was released. */
    void savepointReleased(Savepoint savepoint);

    /** Called after a rollback to a savepoint. */
    void rolledBackTo(Savepoint savepoint);
  }

  /** What the library does with a connection. */
  @FunctionalInterface
  public interface Statements<T> {
    /** Sends the statements on the connection. */
    T on(Connection connection) throws SQLException;
  }

  private TransactionWatch(Connection target, @Nullable String wayOut) {
    this.target = requireNonNull(target, "target");
    this.wayOut = wayOut;
    this.watched = new Watched(target);
  }

  /** Watches a connection. What ends the transaction is passed on, and noted. */
  public static TransactionWatch on(Connection target) {
    return new TransactionWatch(target, null);
  }

  /**
   * Watches a connection and refuses what would end the transaction behind its manager's back.
   *
   * @param wayOut how the application ends the transaction, for the text of the refusal
   */
  public static TransactionWatch guarding(Connection target, String wayOut) {
    return new TransactionWatch(target, requireNonNull(wayOut, "wayOut"));
  }

  /** Returns the watch of a connection, or null if the connection is not watched. */
  public static @Nullable TransactionWatch of(Connection connection) {
    try {
      return connection.isWrapperFor(TransactionWatch.class)
          ? connection.unwrap(TransactionWatch.class)
          : null;
    } catch (SQLException e) {
      return null;
    }
  }

  /**
   * Runs statements of the library's own on the connection behind the watch, whose every call would
   * cost a detour; a failure is noted all the same. A connection that is not watched is used as it
   * is.
   */
  public static <T> T past(Connection connection, Statements<T> own) throws SQLException {
    TransactionWatch watch = ofProxy(connection);
    if (watch == null) {
      return own.on(connection);
    }
    try {
      return own.on(watch.target);
    } catch (SQLException e) {
      watch.failed(e);
      throw e;
    } catch (RuntimeException e) {
      if (TransactionHabits.sqlFailure(e) != null) {
        watch.failed(e);
      }
      throw e;
    }
  }

  /** As {@link #of}, without a question to a pool's or driver's connection. */
  private static @Nullable TransactionWatch ofProxy(Connection connection) {
    if (!Proxy.isProxyClass(connection.getClass())) {
      return null;
    }
    WatchedConnection watched = WatchedConnection.of(connection);
    return watched == null ? of(connection) : (TransactionWatch) watched.watch();
  }

  /**
   * Returns the connection behind the watch, or the given one if it is not watched. For what is
   * done about a connection from outside of its transaction, such as to cancel a statement.
   */
  public static Connection unwatched(Connection connection) {
    TransactionWatch watch = of(connection);
    return watch == null ? connection : watch.target;
  }

  /** The connection to hand to the application. */
  public Connection connection() {
    return watched.proxy();
  }

  /** Tells the listener of savepoints from now on. */
  public void addListener(SavepointListener listener) {
    listeners.add(requireNonNull(listener, "listener"));
  }

  /** Whether something speaks against the transaction: ask the database what is left of it. */
  public boolean isInDoubt() {
    return state.doubt != null;
  }

  /**
   * Prepares for {@link #prove}: from now on a savepoint marks the transaction before the
   * application reaches past the watch, and a call that would end the transaction is refused. Call
   * before the application gets the connection.
   */
  public void expectProof() {
    proving = true;
  }

  /**
   * Returns normally if the transaction is still the one that {@link #expectProof} saw. Costs a
   * statement only if the application has reached past the watch.
   *
   * @throws IllegalStateException if the database may have rolled the transaction back
   */
  public void prove() {
    Doubt doubt = state.doubt;
    if (doubt != null && doubt.lost()) {
      throw unproven(doubt, doubt.cause());
    }
    if (state.pin != null && doubt != null) {
      try {
        target.releaseSavepoint(state.pin);
      } catch (SQLException e) {
        throw unproven(doubt, e);
      }
    }
  }

  private static IllegalStateException unproven(Doubt doubt, @Nullable Throwable cause) {
    return new IllegalStateException(
        "the transaction may have been rolled back or committed before its end: "
            + doubt.reason()
            + "; let the exception of a failed statement out, or roll back to a savepoint of"
            + " Connection.setSavepoint() before it continues",
        cause);
  }

  /**
   * Notes a failure of a statement, unless the driver just does not support what was asked. A
   * connection that another proxy stands before may throw the driver's exception inside of one of
   * its own.
   */
  private void failed(Throwable failure) {
    SQLException e = TransactionHabits.sqlFailure(failure);
    if (e == null) {
      if (!(failure instanceof UnsupportedOperationException)) {
        String reason = "a call failed with " + failure.getClass().getName();
        note(new Doubt(reason, proving && !habits().refusesAfterFailure(), false, failure));
      }
    } else if (!(e instanceof SQLFeatureNotSupportedException)) {
      boolean lost = proving && !habits().keepsTransaction(e);
      note(new Doubt("a statement failed with SQLState " + e.getSQLState(), lost, false, e));
    }
  }

  /** Called before the application can do what the watch does not see. */
  private void passing(String reason) {
    if (!proving || state.pin != null) {
      note(new Doubt(reason, false, true, null));
    } else {
      pin(reason);
    }
  }

  /** Called before a call on the connection that ends the transaction. */
  private void ending(String method) {
    String call = "Connection." + method + "()";
    if (wayOut != null || proving) {
      throw new IllegalStateException(
          call
              + " is refused inside a managed transaction: "
              + (wayOut == null ? "return to commit, throw to roll back" : wayOut));
    }
    note(new Doubt(call + " was called", true, true, null));
  }

  /** Called before the isolation level is set, which commits on H2. */
  private void settingIsolation() {
    if (proving) {
      ending("setTransactionIsolation");
    } else if (habits().commitsAtIsolation()) {
      passing("the isolation level was set, which commits");
    }
  }

  /**
   * Notes a savepoint that was just set on the connection behind the watch, as by a transaction
   * manager. Release it and roll back to it on {@link #connection()}.
   */
  public void savepointSet(Savepoint savepoint) {
    String name = nameOf(savepoint);
    if (name != null) {
      // From now on the name means this one, perhaps in another transaction than the older one.
      savepoints.keySet().removeIf(older -> name.equalsIgnoreCase(nameOf(older)));
    }
    savepoints.put(savepoint, state);
    listeners.forEach(listener -> listener.savepointSet(savepoint));
  }

  private static @Nullable String nameOf(Savepoint savepoint) {
    try {
      return savepoint.getSavepointName();
    } catch (SQLException e) {
      return null; // it has a number instead
    }
  }

  private void savepointReleased(Savepoint savepoint) {
    renewPin(savepoints.remove(savepoint));
    listeners.forEach(listener -> listener.savepointReleased(savepoint));
  }

  /**
   * A savepoint that can be rolled back to proves that the transaction is the one it was set in.
   */
  private void rolledBackTo(Savepoint savepoint) {
    State then = savepoints.get(savepoint);
    State now = state;
    if (then != null) {
      state = now.doubt != null && now.doubt.lasts() ? new State(now.doubt, then.pin) : then;
      if (now.pin != then.pin) {
        pin("the application has reached past the watched connection");
      }
    }
    if (listeners.isEmpty()) {
      note(new Doubt("a savepoint was rolled back", false, false, null));
    }
    listeners.forEach(listener -> listener.rolledBackTo(savepoint));
  }

  /** The release of an older savepoint takes the mark away on some databases. */
  private void renewPin(@Nullable State then) {
    if (then != null && then.pin != state.pin) {
      pin("the application has reached past the watched connection");
    }
  }

  private void pin(String reason) {
    if (!habits().provesBySavepoint()) {
      note(new Doubt(reason, true, true, null));
      return;
    }
    try {
      Doubt doubt = state.doubt == null ? new Doubt(reason, false, true, null) : state.doubt;
      state = new State(doubt, target.setSavepoint());
    } catch (SQLException e) {
      note(new Doubt(reason, true, true, e));
    }
  }

  /** Which database it is does not change; the driver knows it without a statement. */
  private TransactionHabits habits() {
    TransactionHabits known = habits;
    if (known == TransactionHabits.UNKNOWN) {
      known = TransactionHabits.of(target);
      habits = known;
    }
    return known;
  }

  private void note(Doubt doubt) {
    if (state.doubt == null || (doubt.lost() && !state.doubt.lost())) {
      state = new State(doubt, state.pin);
    }
  }

  /**
   * What speaks against the transaction.
   *
   * @param lost whether it may have been rolled back as a whole, and no mark can prove otherwise
   * @param lasts whether a rollback to a savepoint leaves it: what the application has got past the
   *     watch, such as the driver's connection, outlives the savepoint
   */
  private record Doubt(String reason, boolean lost, boolean lasts, @Nullable Throwable cause) {}

  /** What is known at a moment; a rollback to a savepoint brings back what was known then. */
  private record State(@Nullable Doubt doubt, @Nullable Savepoint pin) {
    static final State SOUND = new State(null, null);
  }

  /** Tells this watch what happens on its connection. */
  private final class Watched extends WatchedConnection {
    Watched(Connection target) {
      super(target);
    }

    @Override
    public TransactionWatch watch() {
      return TransactionWatch.this;
    }

    @Override
    protected TransactionHabits habits() {
      return TransactionWatch.this.habits();
    }

    @Override
    protected void failed(Throwable failure) {
      TransactionWatch.this.failed(failure);
    }

    @Override
    protected void settingIsolation() {
      TransactionWatch.this.settingIsolation();
    }

    @Override
    protected void passing(String reason) {
      TransactionWatch.this.passing(reason);
    }

    @Override
    protected void ending(String method) {
      TransactionWatch.this.ending(method);
    }

    @Override
    protected void savepointSet(Savepoint savepoint) {
      TransactionWatch.this.savepointSet(savepoint);
    }

    @Override
    protected void savepointReleased(Savepoint savepoint) {
      TransactionWatch.this.savepointReleased(savepoint);
    }

    @Override
    protected void rolledBackTo(Savepoint savepoint) {
      TransactionWatch.this.rolledBackTo(savepoint);
    }
  }
}
