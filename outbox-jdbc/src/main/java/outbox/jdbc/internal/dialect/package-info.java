/**
 * The databases: what each of them calls itself, what it can do, and what its SQL file cannot say.
 * A {@link Dialect} answers questions and makes nothing; the packages that run statements choose
 * their way by its answers.
 *
 * <p>To add a database, write one subclass of {@link Dialect}, register it in {@link Dialects#ALL},
 * and write its SQL files under {@code outbox/jdbc} beside those of the others: {@code <name>.sql},
 * {@code <name>-joins.sql}, {@code inbox}, {@code migration} and {@code schema}; those of the
 * dashboard are beside {@code outbox.admin.data}. The contract suites run against it by subclasses
 * of a few lines. {@code TransactionHabits} of the core asks the database more often than needed
 * until it knows the product.
 *
 * <p>Called by every other package of this module; depends on the core's SPI only. Stateless, so
 * all threads may share a dialect.
 */
@NullMarked
package outbox.jdbc.internal.dialect;

import org.jspecify.annotations.NullMarked;
