package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;
import outbox.InvalidSettingException;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.store.TableKind;
import outbox.spi.TerminalHook;

/** Collects the options of a {@link JdbcOutboxRepository}. Not thread-safe. */
public final class JdbcOutboxRepositoryBuilder {
  /** The characters kept of an error by default: {@value}. */
  public static final int DEFAULT_MAX_ERROR_LENGTH = 4000;

  private TableKind kind = TableKind.OUTBOX;
  private TableName table = TableName.DEFAULT;
  private boolean deleteWhenDone;
  private int maxErrorLength = DEFAULT_MAX_ERROR_LENGTH;
  private @Nullable String nowExpression;
  private @Nullable TerminalHook terminalHook;

  JdbcOutboxRepositoryBuilder() {}

  /** Another table than {@code outbox_event}: a name, or a schema and a name with a dot. */
  public JdbcOutboxRepositoryBuilder tableName(String tableName) {
    this.table = TableName.of(tableName);
    return this;
  }

  /**
   * Deletes events as soon as they are done instead of keeping them as DONE. Those with a key of
   * their producer are kept, or a later duplicate would not be known as one.
   */
  public JdbcOutboxRepositoryBuilder deleteWhenDone(boolean deleteWhenDone) {
    this.deleteWhenDone = deleteWhenDone;
    return this;
  }

  /** Cuts errors to this many characters. */
  public JdbcOutboxRepositoryBuilder maxErrorLength(int maxErrorLength) {
    if (maxErrorLength < 1) {
      throw new InvalidSettingException(
          "maxErrorLength (" + maxErrorLength + ") must be at least 1", "maxErrorLength");
    }
    this.maxErrorLength = maxErrorLength;
    return this;
  }

  /** Told of the events that end, in the transaction that ends them; joins need it. */
  public JdbcOutboxRepositoryBuilder terminalHook(TerminalHook terminalHook) {
    this.terminalHook = requireNonNull(terminalHook, "terminalHook");
    return this;
  }

  /** Another table with leases than that of the outbox. */
  JdbcOutboxRepositoryBuilder kind(TableKind kind, TableName table) {
    this.kind = kind;
    this.table = table;
    return this;
  }

  /** Another clock than the database's, as an SQL expression of its instant type. */
  JdbcOutboxRepositoryBuilder nowExpression(String nowExpression) {
    this.nowExpression = requireNonNull(nowExpression, "nowExpression");
    return this;
  }

  /**
   * Makes the store.
   *
   * @throws IllegalStateException if a hook is to be told of events that are gone by then
   */
  public JdbcOutboxRepository build() {
    return new JdbcOutboxRepository(options());
  }

  StoreOptions options() {
    return new StoreOptions(
        kind, table, deleteWhenDone, maxErrorLength, nowExpression, terminalHook, null);
  }
}
