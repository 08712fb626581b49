/**
 * Transactions: those that the store opens by itself on a connection in auto-commit mode, and what
 * a thread holds of one that {@code JdbcTransactionManager} began. Called by the stores and the
 * facades; depends on {@code internal.dialect} and the core's SPI. A transaction belongs to one
 * thread.
 */
@NullMarked
package outbox.jdbc.internal.tx;

import org.jspecify.annotations.NullMarked;
