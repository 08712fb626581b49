package outbox.chaos.scenario;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import outbox.OutboxConfig;

/**
 * What a process under test does; travels as its command line.
 *
 * @param events how many it publishes in all
 * @param flush how long completions are collected under load
 * @param handling how long its listener takes per event
 */
record NodeSettings(
    String name,
    String url,
    Path journal,
    int publishers,
    int events,
    int workers,
    Duration lease,
    Duration flush,
    Duration handling) {
  static final Duration POLL_INTERVAL = Duration.ofMillis(500);
  static final Duration DEFAULT_FLUSH = new OutboxConfig().getFlushInterval();

  static NodeSettings parse(String[] arguments) {
    return new NodeSettings(
        arguments[0],
        arguments[1],
        Path.of(arguments[2]),
        Integer.parseInt(arguments[3]),
        Integer.parseInt(arguments[4]),
        Integer.parseInt(arguments[5]),
        Duration.parse(arguments[6]),
        Duration.parse(arguments[7]),
        Duration.parse(arguments[8]));
  }

  List<String> arguments() {
    return List.of(
        name,
        url,
        journal.toString(),
        String.valueOf(publishers),
        String.valueOf(events),
        String.valueOf(workers),
        lease.toString(),
        flush.toString(),
        handling.toString());
  }

  OutboxConfig config() {
    return new OutboxConfig()
        .setDispatcherWorkers(workers)
        .setLeaseDuration(lease)
        .setFlushInterval(flush)
        .setPollerIntervalMs(POLL_INTERVAL.toMillis());
  }
}
