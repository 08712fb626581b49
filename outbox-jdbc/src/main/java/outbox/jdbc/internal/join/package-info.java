/**
 * The rows of joins, their steps and who waits for them: how steps end, how joins count and end,
 * and in which order all of that is locked. Called by {@code JdbcJoinStore} inside a transaction;
 * depends on {@code internal.sql} and {@code internal.dialect}. Works on the caller's thread and
 * connection.
 */
@NullMarked
package outbox.jdbc.internal.join;

import org.jspecify.annotations.NullMarked;
