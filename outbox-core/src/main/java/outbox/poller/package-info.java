/** When to look for due events in the database: the loop, its idle back-off and its wake-ups. */
@NullMarked
package outbox.poller;

import org.jspecify.annotations.NullMarked;
