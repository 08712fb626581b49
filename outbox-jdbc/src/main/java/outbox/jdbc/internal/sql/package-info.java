/**
 * Statements by name: reads SQL files, puts the names of tables into their texts, binds parameters
 * and runs them, each within the network timeout of its connection. It knows no name of a statement
 * but that of a table's columns: each user says which it needs, and a file that has others, or
 * fewer, is refused.
 *
 * <p>Called by the stores, the joins, the schema and {@code outbox-admin-data}; depends on {@code
 * internal.dialect}. A {@link Statements} may be shared by threads, {@link Parameters} belong to
 * one. One daemon thread of the process cancels statements that take too long.
 */
@NullMarked
package outbox.jdbc.internal.sql;

import org.jspecify.annotations.NullMarked;
