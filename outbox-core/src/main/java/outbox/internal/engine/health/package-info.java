/**
 * Whether a database answers, and the connections by which the engine finds out: each statement
 * takes one, with a network timeout, and gives it back at once. {@code StoppableConnections} is
 * used by {@code outbox-jdbc} too, for its own loops.
 *
 * <p>Depends on {@code common} only. Called from every thread that asks the database something.
 */
@NullMarked
package outbox.internal.engine.health;

import org.jspecify.annotations.NullMarked;
