/**
 * Statements of a tool's own over the tables of this library, each within a time limit and in a
 * transaction that leaves the connection as it was. Exported to {@code outbox-admin-data} alone,
 * which brings the SQL files. Depends on {@code internal.sql} and {@code internal.dialect}. {@link
 * BoundedQueries} may be shared by threads; a session belongs to the thread that opened it.
 */
@NullMarked
package outbox.jdbc.internal.query;

import org.jspecify.annotations.NullMarked;
