/**
 * The ways in: {@code HotIntake} from the transaction that published an event, {@code StorePoller}
 * and {@code Claimer} from the database. Both go through the {@code Admission} of the store.
 *
 * <p>The hot way runs on the application's thread and asks no database; claims and confirmations
 * are tasks of the store.
 */
@NullMarked
package outbox.internal.engine.intake;

import org.jspecify.annotations.NullMarked;
