/**
 * Joins: go on when all of them are done. A join counts the ends of messages; a wait message goes
 * on when the join has ended. Built on the store's hook and on a transactional handler; nothing
 * else of the outbox knows of it.
 *
 * <p>Applications call {@link outbox.join.JoinCoordinator} and {@link outbox.join.JoinPlan}; those
 * who wire by hand give the {@link outbox.join.JoinTracker} to their event store. Depends on API,
 * SPI and model only. Has no threads: a call runs on the caller's thread, the wait handler on a
 * worker of the dispatcher, housekeeping on the housekeeper's.
 */
@NullMarked
package outbox.join;

import org.jspecify.annotations.NullMarked;
