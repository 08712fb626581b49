/** Injects the faults, in an order that follows from the seed. */
@NullMarked
package outbox.chaos.storm;

import org.jspecify.annotations.NullMarked;
