/**
 * Guards between the library and what it is given: a metrics exporter that throws, a connection
 * without a transaction to join. For the core's own packages. Depends on the SPI only; thread-safe.
 */
@NullMarked
package outbox.internal.guard;

import org.jspecify.annotations.NullMarked;
