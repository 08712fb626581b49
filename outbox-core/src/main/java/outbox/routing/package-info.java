/**
 * Many databases in one process: which there are, which of them is looked into next, and which of
 * them a message goes to. Knows stores and connections, not the engine that serves them.
 *
 * <p>Applications implement discovery and selection and call the router; the engine calls the
 * stores. Depends on API, SPI and model. A discovery has one thread of its own; selection runs on
 * the engine's threads.
 */
@NullMarked
package outbox.routing;

import org.jspecify.annotations.NullMarked;
