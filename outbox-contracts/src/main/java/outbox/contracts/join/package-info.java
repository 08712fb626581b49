/**
 * What joins must do on their store: {@link outbox.contracts.join.JoinContract}. Depends on {@code
 * outbox.contracts.store} for the rows of the messages.
 */
@NullMarked
package outbox.contracts.join;

import org.jspecify.annotations.NullMarked;
