/** What the processes write down about each event, on a server of its own that no fault touches. */
@NullMarked
package outbox.chaos.ledger;

import org.jspecify.annotations.NullMarked;
