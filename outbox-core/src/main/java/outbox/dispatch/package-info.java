/**
 * The engine: two lanes, workers, leases, group-committed completions, retries, and the scheduler
 * of what is to be done at the stores. Applications use {@code OutboxDispatcher} and {@code
 * MultiOutboxDispatcher}; all else runs on threads that the engine starts and ends.
 */
@NullMarked
package outbox.dispatch;

import org.jspecify.annotations.NullMarked;
