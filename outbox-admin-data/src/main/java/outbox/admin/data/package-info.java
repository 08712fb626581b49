/**
 * Looks into the tables of an outbox, an inbox and joins for those who operate them, and acts on
 * what they find there. Every statement has a time limit and reads a bounded number of rows,
 * whatever the size of the table, so that no query can hurt the database. Knows the public API of
 * the core and of {@code outbox.jdbc}; knows nothing of HTTP.
 */
@NullMarked
package outbox.admin.data;

import org.jspecify.annotations.NullMarked;
