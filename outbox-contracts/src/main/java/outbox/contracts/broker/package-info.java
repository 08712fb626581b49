/** What every {@link outbox.spi.Forwarder} must do, with a real broker that fails on demand. */
@NullMarked
package outbox.contracts.broker;

import org.jspecify.annotations.NullMarked;
