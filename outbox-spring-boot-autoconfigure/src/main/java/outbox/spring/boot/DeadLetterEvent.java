package outbox.spring.boot;

import outbox.model.DeadLetter;

/**
 * An application event: a message of the application's outbox or inbox has died in this process.
 * Published once the database has it, on a thread of the engine and outside of a transaction; a
 * notice and no record, as {@link outbox.DeadLetterListener} says.
 *
 * @param queue {@code outbox}, {@code inbox}, or the name that a further outbox was built with
 * @param letter the message without its payload
 */
public record DeadLetterEvent(String queue, DeadLetter letter) {}
