/**
 * What an application types: the client, the work queue, its dead letters and joins, the envelope,
 * event and aggregate types, listeners, handlers and the configuration. Applications call it.
 *
 * <p>Interfaces and values depend on {@code outbox.model} only. {@link outbox.OutboxClient} and
 * {@link outbox.OutboxBuilder} put the parts together: they may know the SPI, the dispatcher and
 * {@code outbox.internal.queue}, and nothing below knows them. Has no threads of its own: calls run
 * on the caller's thread, listeners and handlers on the dispatcher's workers.
 */
@NullMarked
package outbox;

import org.jspecify.annotations.NullMarked;
