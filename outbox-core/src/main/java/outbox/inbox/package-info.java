/**
 * The idempotent receiver: messages from outside by their key, duplicates recognised, new ones
 * handled by the engine of the outbox. An inbox is one more store with leases; nothing here claims,
 * leases, retries or dispatches by itself.
 *
 * <p>Applications call {@link outbox.inbox.Inbox} and implement the handlers; those who make a
 * store implement {@link outbox.inbox.InboxStore}. Depends on the API, the SPI, the registry, the
 * queue's dead letters and the hot path. Has no threads: a call runs on the caller's thread, a
 * handler on a worker of the dispatcher.
 */
@NullMarked
package outbox.inbox;

import org.jspecify.annotations.NullMarked;
