package outbox.internal.broker;

import org.jspecify.annotations.Nullable;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;

/**
 * How the messages of a broker are read.
 *
 * @param <M> a message as the broker's client gives it
 */
public interface BrokerMessages<M> {

  /** The message of the inbox that it is; whatever this throws makes it a poison message. */
  InboundMessage message(M message) throws Exception;

  /** A key for one that cannot be read. */
  InboxKey place(M message);

  /** Where the broker has it, for log lines and errors. */
  String position(M message);

  byte @Nullable [] content(M message);
}
