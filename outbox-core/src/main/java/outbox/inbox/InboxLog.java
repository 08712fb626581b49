package outbox.inbox;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.inbox.InboxStore.Sighting;
import outbox.internal.text.LogSettings;
import outbox.internal.text.LogText;

/** What the inbox says about its work: identities and counts, never a payload. */
final class InboxLog {
  private static final Logger LOG = System.getLogger(Inbox.class.getName());

  /** One line for each message, so that it can be silenced alone. */
  private static final Logger MESSAGES = System.getLogger("outbox.messages");

  private static final String STAYS = "what is stored stays";
  private static final String STORED = "this one is stored";

  private final String suffix;

  InboxLog(@Nullable String storeName) {
    this.suffix = storeName == null ? "" : " store=" + LogText.of(storeName);
  }

  void received(InboundMessage message, ReceiveResult result) {
    line(message, "received as ", result.kind());
    if (result.contentDiffers()) {
      warnOfContent(message.key(), result.isNew() ? STORED : STAYS);
    }
  }

  void enqueued(InboundMessage message, Sighting sighting) {
    line(message, "enqueued, now ", sighting.status());
    if (sighting.contentDiffers()) {
      warnOfContent(message.key(), sighting.status() == InboxStatus.DONE ? STAYS : STORED);
    }
  }

  private void line(InboundMessage message, String what, Enum<?> now) {
    Level level = LogSettings.perMessage();
    if (MESSAGES.isLoggable(level)) {
      MESSAGES.log(
          level,
          "inbound "
              + what
              + now.name().toLowerCase(Locale.ROOT)
              + " topic="
              + LogText.of(message.topic())
              + named(message.key()));
    }
  }

  void seen(InboxKey key, Sighting sighting) {
    if (LOG.isLoggable(Level.DEBUG)) {
      boolean processed = sighting.status() == InboxStatus.DONE;
      debug(key, "checked processed=" + processed);
    }
    if (sighting.contentDiffers()) {
      warnOfContent(key, STAYS);
    }
  }

  void marked(InboxKey key, InboxStatus status, boolean moved) {
    if (LOG.isLoggable(Level.DEBUG)) {
      debug(key, "marked status=" + status + " moved=" + moved);
    }
  }

  private void debug(InboxKey key, String what) {
    LOG.log(Level.DEBUG, what + named(key));
  }

  private String named(InboxKey key) {
    return " source="
        + LogText.of(key.source())
        + " messageId="
        + LogText.of(key.messageId())
        + suffix;
  }

  private void warnOfContent(InboxKey key, String kept) {
    LOG.log(
        Level.WARNING,
        "content differs from what the same key was brought with before; " + kept + named(key));
  }
}
