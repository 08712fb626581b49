/**
 * Joins: run a follow-up message once a group of messages has finished (fan-in). A join counts the
 * ends of messages; a wait message enqueues its continuation when the join has ended. Built on the
 * store's hook and on a transactional handler; no other part of the outbox knows of joins.
 *
 * <p>Applications call {@link outbox.join.JoinCoordinator} and {@link outbox.join.JoinPlan};
 * applications that wire by hand give the {@link outbox.join.JoinTracker} to their event store.
 * Depends on API, SPI and model only. Has no threads: a call runs on the caller's thread, the wait
 * handler on a worker of the dispatcher, housekeeping on the housekeeper's.
 */
@NullMarked
package outbox.join;

import org.jspecify.annotations.NullMarked;
