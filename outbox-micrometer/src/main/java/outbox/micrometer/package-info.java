/** The engine's metrics on Micrometer; knows nothing but the SPI of the core. */
@NullMarked
package outbox.micrometer;

import org.jspecify.annotations.NullMarked;
