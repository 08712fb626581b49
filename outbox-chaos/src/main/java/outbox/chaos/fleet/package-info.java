/** The driver's side of the nodes: it starts, watches, hurts and restarts them. */
@NullMarked
package outbox.chaos.fleet;

import org.jspecify.annotations.NullMarked;
