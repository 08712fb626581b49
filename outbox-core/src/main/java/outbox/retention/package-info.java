/**
 * Removes what is no longer needed, in small batches on one thread for all databases of a process.
 * Depends on API and SPI only.
 */
@NullMarked
package outbox.retention;

import org.jspecify.annotations.NullMarked;
