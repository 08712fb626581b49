package outbox.jdbc;

import org.jspecify.annotations.Nullable;
import outbox.ConflictingSettingsException;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.store.ErrorText;
import outbox.jdbc.internal.store.EventTable;
import outbox.jdbc.internal.store.TableKind;
import outbox.spi.TerminalHook;

/**
 * What distinguishes one store from another.
 *
 * @param deleteWhenDone whether events without a key of their producer go as soon as they are done
 * @param maxErrorLength how many characters are kept of an error
 * @param nowExpression another clock than the database's; null for its own
 * @param hook told of events that end; null if there is none
 * @param joins the tables of joins beside the table; null for none
 */
record StoreOptions(
    TableKind kind,
    TableName table,
    boolean deleteWhenDone,
    int maxErrorLength,
    @Nullable String nowExpression,
    @Nullable TerminalHook hook,
    @Nullable JdbcJoinStore joins) {

  StoreOptions {
    if (deleteWhenDone && (hook != null || joins != null)) {
      throw new ConflictingSettingsException(
          "deleteWhenDone (true) excludes joins() and terminalHook(…): a join must be able to see"
              + " that a message is done; leave out one or the other",
          "deleteWhenDone",
          "joins()");
    }
  }

  StoreOptions hooked(TerminalHook other) {
    return new StoreOptions(
        kind, table, deleteWhenDone, maxErrorLength, nowExpression, other, joins);
  }

  StoreOptions withJoins(JdbcJoinStore other) {
    return new StoreOptions(
        kind, table, deleteWhenDone, maxErrorLength, nowExpression, hook, other);
  }

  EventTable table(Dialect dialect) {
    return new EventTable(dialect, kind, table, nowExpression);
  }

  /** The error as its column takes it. */
  @Nullable String fit(@Nullable String error) {
    return ErrorText.fit(error, maxErrorLength);
  }
}
