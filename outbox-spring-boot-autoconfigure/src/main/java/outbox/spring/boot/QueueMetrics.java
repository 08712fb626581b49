package outbox.spring.boot;

import outbox.spi.MetricsExporter;

/** Makes an exporter for each of the two queues. */
@FunctionalInterface
interface QueueMetrics {
  String OUTBOX = "outbox";
  String INBOX = "inbox";

  MetricsExporter of(String queue);
}
