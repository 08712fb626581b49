/**
 * Many databases in one process: which there are, which of them is looked into next, and which of
 * them a message goes to. Knows stores and connections, not the engine that serves them.
 */
@NullMarked
package outbox.routing;

import org.jspecify.annotations.NullMarked;
