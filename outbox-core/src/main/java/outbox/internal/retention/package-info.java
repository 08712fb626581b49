/**
 * Removes what is no longer needed, in small batches on one thread for all databases of a process.
 * The builders of {@code outbox-jdbc} call it, and those who wire by hand. Depends on API and SPI
 * only. Its one thread is {@code outbox-housekeeper}.
 */
@NullMarked
package outbox.internal.retention;

import org.jspecify.annotations.NullMarked;
