/** The kinds of faults, and the log of what was done to whom. */
@NullMarked
package outbox.chaos.fault;

import org.jspecify.annotations.NullMarked;
