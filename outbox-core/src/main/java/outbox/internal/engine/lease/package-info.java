/**
 * Leases: the tokens by which this process holds rows, the gate that no listener passes without
 * enough of its lease, the renewal of everything in flight, fenced changes of single rows, and the
 * adapter that lets a store without leases run.
 *
 * <p>Workers call the gate, the timer watches, and renewals are a task of the store.
 */
@NullMarked
package outbox.internal.engine.lease;

import org.jspecify.annotations.NullMarked;
