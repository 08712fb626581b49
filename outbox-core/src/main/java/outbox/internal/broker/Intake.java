package outbox.internal.broker;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.inbox.PoisonMessageException;
import outbox.inbox.PoisonPolicy;
import outbox.inbox.ReceiveResult;

/**
 * Stores messages of a broker in the inbox, many by one transaction. Thread-safe.
 *
 * @param <M> a message as the broker's client gives it
 */
public final class Intake<M> {
  private static final String POSITION = "outbox-position";
  private static final String POISON = "outbox-poison";

  /** No handler gets a poison message between the two statements that store it as dead. */
  private static final Duration OUT_OF_REACH = Duration.ofMinutes(10);

  private final Logger log;
  private final Inbox inbox;
  private final BrokerMessages<M> source;
  private final PoisonPolicy policy;
  private final IntakeCounts counts;

  public Intake(
      Logger log, Inbox inbox, BrokerMessages<M> source, PoisonPolicy policy, IntakeCounts counts) {
    this.log = log;
    this.inbox = inbox;
    this.source = source;
    this.policy = policy;
    this.counts = counts;
  }

  /**
   * Stores the messages in their order, and returns when the database has committed.
   *
   * @throws PoisonMessageException before the first message that must not be passed over
   */
  public void store(Iterable<M> messages) {
    Run<M> run = new Run<>();
    for (M message : messages) {
      try {
        run.add(message, source.message(message));
      } catch (Exception e) {
        storeAll(run);
        run = new Run<>();
        poison(message, e);
      }
    }
    storeAll(run);
  }

  /** All or none by one call; if the inbox refuses one of them, each by itself finds out which. */
  private void storeAll(Run<M> run) {
    try {
      inbox.receiveAll(run.messages).forEach(counts::count);
    } catch (IllegalArgumentException e) {
      storeEach(run);
    }
  }

  private void storeEach(Run<M> run) {
    for (int i = 0; i < run.messages.size(); i++) {
      try {
        counts.count(inbox.receive(run.messages.get(i)));
      } catch (IllegalArgumentException e) {
        poison(run.origins.get(i), e);
      }
    }
  }

  private void poison(M message, Exception reason) {
    String position = source.position(message);
    if (policy == PoisonPolicy.STOP) {
      throw new PoisonMessageException(position, reason);
    }
    try {
      storeDead(message, position, reason);
    } catch (IllegalArgumentException e) {
      e.addSuppressed(reason);
      throw new PoisonMessageException(position, e);
    }
  }

  private void storeDead(M message, String position, Exception reason) {
    InboxKey key = source.place(message);
    byte[] content = source.content(message);
    ReceiveResult stored =
        inbox.receive(
            new InboundMessage(
                key,
                key.source(),
                content == null ? "" : Base64.getEncoder().encodeToString(content),
                null,
                Instant.now().plus(OUT_OF_REACH),
                Map.of(POSITION, position, POISON, String.valueOf(reason.getMessage()))));
    inbox.markDead(key);
    if (stored.isNew()) {
      counts.countPoison();
      log.log(Level.WARNING, "poison message stored as a dead letter position=" + position, reason);
    }
  }

  /** Messages that can be stored together, and what they were made of. */
  private static final class Run<M> {
    private final List<M> origins = new ArrayList<>();
    private final List<InboundMessage> messages = new ArrayList<>();

    void add(M origin, InboundMessage message) {
      origins.add(origin);
      messages.add(message);
    }
  }
}
