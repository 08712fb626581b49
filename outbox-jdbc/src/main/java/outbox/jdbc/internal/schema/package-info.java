/**
 * Creates and upgrades the tables: scripts, the catalog of the database, the installed version, and
 * the steps of a migration that runs while applications write. Only {@code outbox.jdbc.schema}
 * calls it; depends on {@code internal.sql}, {@code internal.tx} and {@code internal.dialect}. A
 * session excludes all other nodes from changing the schema, and runs on the thread that opened it.
 */
@NullMarked
package outbox.jdbc.internal.schema;

import org.jspecify.annotations.NullMarked;
