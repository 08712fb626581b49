/**
 * Deliveries within a window, as rates: {@link outbox.metrics.ActivityMeter} is a metrics exporter
 * for applications that show their own figures. The snapshot of a queue, its health and Prometheus'
 * text are in {@code outbox-admin-data}. Depends on the SPI only; counted by the workers, read by
 * any thread.
 */
@NullMarked
package outbox.metrics;

import org.jspecify.annotations.NullMarked;
