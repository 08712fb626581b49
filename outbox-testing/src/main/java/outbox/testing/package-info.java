/**
 * For tests of applications and of stores: an in-memory store with real transactions, and the
 * contract that every store must keep. Depends on the core and JUnit.
 */
@NullMarked
package outbox.testing;

import org.jspecify.annotations.NullMarked;
