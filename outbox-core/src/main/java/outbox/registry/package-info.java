/** Which listeners run for which event type. */
@NullMarked
package outbox.registry;

import org.jspecify.annotations.NullMarked;
