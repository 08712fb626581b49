/**
 * The rows of events and of inbox messages: how they are inserted, leased, moved from state to
 * state, read, and purged after their end. {@link EventTable} is the entrance: it loads the
 * statements of one table and chooses, by what the dialect answers, how leases are taken and keys
 * are inserted.
 *
 * <p>Called by {@code JdbcOutboxRepository} and {@code JdbcInboxStore}; depends on {@code
 * internal.sql}, {@code internal.dialect} and {@code internal.tx}. Each method works on the
 * connection that it is given, on the caller's thread; the objects are immutable or used by one
 * thread.
 */
@NullMarked
package outbox.jdbc.internal.store;

import org.jspecify.annotations.NullMarked;
