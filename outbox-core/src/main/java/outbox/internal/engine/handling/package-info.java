/**
 * What a worker does with one event: the lease is made sure of, suspects run alone, listeners run,
 * transactional ones together with their outcome, and a failure is judged by {@code RetryRules}.
 *
 * <p>Everything here runs on the worker that took the event, and is thread-safe.
 */
@NullMarked
package outbox.internal.engine.handling;

import org.jspecify.annotations.NullMarked;
