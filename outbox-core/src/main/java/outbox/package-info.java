/**
 * What an application types: the client, the envelope, event and aggregate types, listeners and the
 * configuration. Depends on nothing but the SPI and the dispatcher that it hands events to.
 */
@NullMarked
package outbox;

import org.jspecify.annotations.NullMarked;
