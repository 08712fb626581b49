/**
 * How the tables come to be: scripts, the catalog of the database, the installed version, and the
 * steps of a migration that goes on while others write. Called by {@code outbox.jdbc.schema} alone;
 * depends on {@code internal.sql}, {@code internal.tx} and {@code internal.dialect}. A session
 * changes the schema alone among all nodes, on the thread that opened it.
 */
@NullMarked
package outbox.jdbc.internal.schema;

import org.jspecify.annotations.NullMarked;
