/** Begins and ends the search for due events in the database; the engine decides when it looks. */
@NullMarked
package outbox.poller;

import org.jspecify.annotations.NullMarked;
