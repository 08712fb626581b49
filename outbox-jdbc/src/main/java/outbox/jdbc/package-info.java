/**
 * The outbox in a relational database, as applications type it: {@link JdbcOutbox} and {@link
 * JdbcInbox} on one database, {@link JdbcOutboxes} and {@link JdbcInboxes} on many, the stores
 * behind them, and transactions for applications that have no framework of their own. What is not
 * public here wires the engine of the core to them.
 *
 * <p>Depends on the core, on {@code outbox.jdbc.schema} and on the packages under {@code internal},
 * which know nothing of this one; a driver is the application's business. Thread-safe but for the
 * builders.
 */
@NullMarked
package outbox.jdbc;

import org.jspecify.annotations.NullMarked;
