package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Collection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.inbox.InboxCleanup;
import outbox.inbox.InboxCleanup.Target;

/** What is cleaned up of inboxes, and how often. Not thread-safe. */
final class CleanupSettings {
  private Duration payloadRetention = InboxCleanup.DEFAULT_PAYLOAD_RETENTION;
  private Duration dedupWindow = InboxCleanup.DEFAULT_DEDUP_WINDOW;
  private @Nullable Duration interval = InboxCleanup.DEFAULT_INTERVAL;

  void retention(Duration payloadRetention, Duration dedupWindow) {
    this.payloadRetention = requireNonNull(payloadRetention, "payloadRetention");
    this.dedupWindow = requireNonNull(dedupWindow, "dedupWindow");
  }

  void interval(Duration cleanupInterval) {
    if (cleanupInterval.isZero() || cleanupInterval.isNegative()) {
      throw new IllegalArgumentException(
          "cleanupInterval (" + cleanupInterval + ") must be positive; use noCleanup() for none");
    }
    this.interval = cleanupInterval;
  }

  void off() {
    this.interval = null;
  }

  /** Starts the cleanup of these; null if it is off. */
  @Nullable InboxCleanup start(Supplier<? extends Collection<Target>> targets) {
    if (interval == null) {
      return null;
    }
    InboxCleanup cleanup = new InboxCleanup(targets, payloadRetention, dedupWindow);
    cleanup.start(interval);
    return cleanup;
  }
}
