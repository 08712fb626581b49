/**
 * The idempotent receiver: messages from outside by their key, duplicates recognised, new ones
 * handled by the engine of the outbox. An inbox is one more store with leases; nothing here claims,
 * leases, retries or dispatches by itself. Depends on the API, the SPI and the registry.
 */
@NullMarked
package outbox.inbox;

import org.jspecify.annotations.NullMarked;
