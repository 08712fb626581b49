/**
 * Which listeners run for which event type, and what they are called. Applications register, the
 * workers of the dispatcher look up. Depends on the API only; thread-safe, without threads of its
 * own.
 */
@NullMarked
package outbox.registry;

import org.jspecify.annotations.NullMarked;
