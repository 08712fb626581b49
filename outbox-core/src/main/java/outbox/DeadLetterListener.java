package outbox;

import outbox.model.DeadLetter;

/**
 * Told when a message has ended DEAD in the hands of this process's dispatcher, whatever the
 * reason: its last attempt failed, it failed for good, expired, killed its workers or could not be
 * decoded. A worker that claims from an {@link Outbox} also ends its messages itself, and is not
 * told.
 *
 * <p>Called once the database has it, on a thread of its own, one letter after the other. What it
 * throws is logged. It is a notice and no record: a process that ends in between, or is behind by
 * 10,000 notices, does not give it; {@link DeadLetters} has them all.
 */
@FunctionalInterface
public interface DeadLetterListener {

  /**
   * A message has died.
   *
   * @param store the store's identifier; empty if there is only one store
   * @param letter the message without its payload. Replays before are not known here: zero
   */
  void onDead(String store, DeadLetter letter);
}
