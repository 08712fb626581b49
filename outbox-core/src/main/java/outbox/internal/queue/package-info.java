/**
 * The work queue on any store with leases: producing, claiming, the fenced transitions, dead
 * letters and bulk changes. {@link outbox.OutboxBuilder} and {@link outbox.OutboxClient} put it
 * together, and the inbox uses its dead letters; no application calls it.
 *
 * <p>Depends on the API, the SPI, and of the dispatcher on the hot path and the retry policy. Has
 * no threads: all work happens on the caller's.
 */
@NullMarked
package outbox.internal.queue;

import org.jspecify.annotations.NullMarked;
