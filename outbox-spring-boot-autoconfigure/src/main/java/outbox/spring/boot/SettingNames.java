package outbox.spring.boot;

import static java.util.Map.entry;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The engine names its own settings when it refuses one; users of Spring know the properties. */
final class SettingNames {
  private static final String DISPATCHER = "outbox.dispatcher.";

  private static final Map<String, String> OF_ALL =
      Map.ofEntries(
          entry("dispatcherWorkers", DISPATCHER + "workers"),
          entry("leaseDuration", DISPATCHER + "lease-duration"),
          entry("maxHandlingTime", DISPATCHER + "max-handling-time"),
          entry("drainTimeout", DISPATCHER + "drain-timeout"),
          entry("closeTimeout", DISPATCHER + "close-timeout"),
          entry("hotQueueCapacity", DISPATCHER + "hot-queue-capacity"),
          entry("coldQueueCapacity", DISPATCHER + "cold-queue-capacity"),
          entry("hotQueueBytes", DISPATCHER + "hot-queue-size"),
          entry("coldQueueBytes", DISPATCHER + "cold-queue-size"),
          entry("flushInterval", DISPATCHER + "flush-interval"),
          entry("flushBatchSize", DISPATCHER + "flush-batch-size"),
          entry("maxLeaseExpiries", DISPATCHER + "max-lease-expiries"),
          entry("networkTimeout", DISPATCHER + "network-timeout"),
          entry("unhandledDelay", DISPATCHER + "unhandled-delay"),
          entry("unhandledMaxAge", DISPATCHER + "unhandled-max-age"),
          entry("pollerIntervalMs", "outbox.poller.interval"),
          entry("pollerBatchSize", "outbox.poller.batch-size"),
          entry("pollerSkipRecentMs", "outbox.poller.skip-recent"),
          entry("retryMaxAttempts", "outbox.retry.max-attempts"),
          entry("retryBaseDelayMs", "outbox.retry.base-delay"),
          entry("retryMaxDelayMs", "outbox.retry.max-delay"),
          entry("maxErrorLength", "outbox.max-error-text-length"),
          entry("deleteWhenDone", "outbox.delete-when-done"),
          entry("joins()", "outbox.joins.enabled"),
          entry("notifyNodes()", "outbox.notify-nodes"),
          entry("node", "outbox.node"));

  private static final Map<String, String> OF_OUTBOX =
      Map.of(
          "tableName", "outbox.table",
          "completed", "outbox.retention.completed",
          "dead", "outbox.retention.dead",
          "joins", "outbox.retention.joins");

  private static final Map<String, String> OF_INBOX =
      Map.of(
          "tableName", "outbox.inbox.table",
          "completed", "outbox.inbox.dedup-window",
          "payloads", "outbox.inbox.payload-retention");

  private SettingNames() {}

  /** The properties of these settings, in their order; none for a setting that has no property. */
  static List<String> of(List<String> settings, boolean inbox) {
    Map<String, String> own = inbox ? OF_INBOX : OF_OUTBOX;
    return settings.stream()
        .map(name -> own.containsKey(name) ? own.get(name) : OF_ALL.get(name))
        .filter(Objects::nonNull)
        .distinct()
        .toList();
  }
}
