/**
 * Proofs that nothing is lost: several processes on one database, and databases, connections and
 * processes that end in the middle of a load. What the processes did stands in their journals, what
 * is true stands in the database, and an account compares the two.
 *
 * <p>The tests run in a short form. {@code -Doutbox.chaos=full} runs the long one.
 */
@NullMarked
package outbox.chaos.scenario;

import org.jspecify.annotations.NullMarked;
