/**
 * The outbox in a relational database: the store with one SQL file per database, the schema and its
 * migrations, and transactions for applications that have no framework of their own. Depends on the
 * core's SPI and model and on {@code java.sql}; a driver is the application's business.
 */
@NullMarked
package outbox.jdbc;

import org.jspecify.annotations.NullMarked;
