/** Compares the databases with the ledger and explains each repetition by the log of faults. */
@NullMarked
package outbox.chaos.account;

import org.jspecify.annotations.NullMarked;
