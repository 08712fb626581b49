package outbox.inbox;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.inbox.InboxStore.Sighting;

/** What the inbox says about its work: identities and counts, never a payload. */
final class InboxLog {
  private static final Logger LOG = System.getLogger(Inbox.class.getName());

  /** One line for each message, so that it can be silenced alone. */
  private static final Logger MESSAGES = System.getLogger("outbox.messages");

  private final String suffix;

  InboxLog(@Nullable String storeName) {
    this.suffix = storeName == null ? "" : " store=" + storeName;
  }

  void received(InboundMessage message, ReceiveResult result) {
    line(message, "received as " + result.kind().name().toLowerCase(Locale.ROOT));
    if (result.contentDiffers()) {
      warnOfContent(message.key());
    }
  }

  void enqueued(InboundMessage message, InboxStatus status) {
    line(message, "enqueued, now " + status.name().toLowerCase(Locale.ROOT));
  }

  private void line(InboundMessage message, String what) {
    if (MESSAGES.isLoggable(Level.INFO)) {
      MESSAGES.log(
          Level.INFO,
          "inbound "
              + what
              + " topic="
              + message.topic()
              + " source="
              + message.key().source()
              + " messageId="
              + message.key().messageId()
              + suffix);
    }
  }

  void seen(InboxKey key, Sighting sighting) {
    if (LOG.isLoggable(Level.DEBUG)) {
      boolean processed = sighting.status() == InboxStatus.DONE;
      debug(key, "checked processed=" + processed);
    }
    if (sighting.contentDiffers()) {
      warnOfContent(key);
    }
  }

  void marked(InboxKey key, InboxStatus status, boolean moved) {
    if (LOG.isLoggable(Level.DEBUG)) {
      debug(key, "marked status=" + status + " moved=" + moved);
    }
  }

  private void debug(InboxKey key, String what) {
    LOG.log(
        Level.DEBUG, what + " source=" + key.source() + " messageId=" + key.messageId() + suffix);
  }

  void revived(int count) {
    LOG.log(count > 0 ? Level.INFO : Level.DEBUG, "revived count=" + count + suffix);
  }

  private void warnOfContent(InboxKey key) {
    LOG.log(
        Level.WARNING,
        "content differs from what is stored under the same key; the stored one stays"
            + " source="
            + key.source()
            + " messageId="
            + key.messageId()
            + suffix);
  }
}
