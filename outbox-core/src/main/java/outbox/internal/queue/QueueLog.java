package outbox.internal.queue;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.Outbox.Enqueued;
import outbox.internal.text.LogSettings;
import outbox.internal.text.LogText;
import outbox.model.OwnerToken;

/** What the queue says about its work: identities and counts, never a payload. */
final class QueueLog {
  private static final Logger LOG = System.getLogger(Outbox.class.getName());

  /** One line for each message, so that it can be silenced alone. */
  private static final Logger MESSAGES = System.getLogger("outbox.messages");

  private static final Duration SHORT_LEASE = Duration.ofSeconds(10);
  private static final Duration LONG_LEASE = Duration.ofMinutes(5);

  private final String suffix;
  private final AtomicBoolean warnedOfLease = new AtomicBoolean();

  QueueLog(@Nullable String storeName) {
    this.suffix = storeName == null ? "" : " store=" + LogText.of(storeName);
  }

  void enqueued(List<EventEnvelope> messages, List<Enqueued> enqueued) {
    if (MESSAGES.isLoggable(LogSettings.perMessage())) {
      for (int i = 0; i < messages.size(); i++) {
        enqueued(messages.get(i), enqueued.get(i));
      }
    }
  }

  private void enqueued(EventEnvelope message, Enqueued enqueued) {
    if (enqueued.alreadyExisted()) {
      DuplicateLog.notInserted(message);
    } else {
      MESSAGES.log(
          LogSettings.perMessage(),
          "enqueued topic={0} correlationId={1} id={2}{3}",
          LogText.of(message.eventType()),
          LogText.of(String.valueOf(message.correlationId())),
          LogText.of(message.eventId()),
          suffix);
    }
  }

  void claimed(OwnerToken owner, int count, int expired) {
    if (LOG.isLoggable(Level.DEBUG)) {
      LOG.log(
          Level.DEBUG,
          "claimed count={0} expired={1} owner={2}{3}",
          Integer.toString(count),
          Integer.toString(expired),
          LogText.of(owner.toString()),
          suffix);
    }
  }

  void ended(String messageId, String reason) {
    LOG.log(
        Level.ERROR,
        "message ended DEAD id={0} reason={1}{2}",
        LogText.of(messageId),
        reason,
        suffix);
  }

  void reaped(int count) {
    LOG.log(Level.INFO, "expired leases cleared count={0}{1}", Integer.toString(count), suffix);
  }

  void leaseAskedFor(Duration lease) {
    boolean usual = lease.compareTo(SHORT_LEASE) >= 0 && lease.compareTo(LONG_LEASE) <= 0;
    if (!usual && !warnedOfLease.getAndSet(true)) {
      LOG.log(
          Level.WARNING,
          "lease={0} is outside {1} to {2}: a short one may expire under a worker, a long one"
              + " keeps what a crash left behind from the others{3}",
          lease,
          SHORT_LEASE,
          LONG_LEASE,
          suffix);
    }
  }
}
