/**
 * Stores of events, inbox messages and joins in memory, with the leases, the fences and the
 * transactions of the stores on databases. Depends on the core.
 */
@NullMarked
package outbox.testing.memory;

import org.jspecify.annotations.NullMarked;
