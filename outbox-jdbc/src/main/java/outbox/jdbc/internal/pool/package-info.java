/**
 * Connections of many databases within one bound: who may have one, which are kept warm, how they
 * are opened, lent and reset. Called by {@code JdbcOutboxes} and, for connections that are lent, by
 * the stores and the housekeeping; depends on {@code internal.dialect} and the core's SPI.
 * Everything here is used by all threads of engine and application at once; no lock is held while a
 * database is asked, but for the one that keeps a second thread from creating a schema.
 */
@NullMarked
package outbox.jdbc.internal.pool;

import org.jspecify.annotations.NullMarked;
