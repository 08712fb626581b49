/** Which listeners run for which event type, and what they are called. */
@NullMarked
package outbox.registry;

import org.jspecify.annotations.NullMarked;
