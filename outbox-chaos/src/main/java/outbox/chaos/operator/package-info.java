/** What operators do to the tables while nodes work: purge, replay, migrate. */
@NullMarked
package outbox.chaos.operator;

import org.jspecify.annotations.NullMarked;
