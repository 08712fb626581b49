/**
 * The connection of a watched transaction: proxies that tell {@link outbox.spi.TransactionWatch} of
 * failures, savepoints and SQL text that controls the transaction. Only the watch uses it. Depends
 * on {@code outbox.internal.connection}. Belongs to the thread of the transaction.
 */
@NullMarked
package outbox.internal.watch;

import org.jspecify.annotations.NullMarked;
