package outbox.spring.boot;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import outbox.EventEnvelope;
import outbox.spi.Propagation;

/**
 * Observes each publish and each delivery. With a tracer behind the registry, the trace goes in the
 * headers from one to the other.
 */
final class ObservationPropagation implements Propagation {
  private final ObservationRegistry registry;

  ObservationPropagation(ObservationRegistry registry) {
    this.registry = registry;
  }

  @Override
  public Map<String, String> headers(String topic) {
    if (registry.isNoop()) {
      return Map.of();
    }
    Map<String, String> headers = new LinkedHashMap<>();
    SenderContext<Map<String, String>> context =
        new SenderContext<>((carrier, key, value) -> headers.put(key, value), Kind.PRODUCER);
    context.setCarrier(headers);
    observation("outbox.publish", topic + " publish", topic, context).observe(() -> {});
    return headers;
  }

  @Override
  public <T> T around(EventEnvelope event, Callable<T> listeners) throws Exception {
    if (registry.isNoop()) {
      return listeners.call();
    }
    ReceiverContext<EventEnvelope> context =
        new ReceiverContext<>((carrier, key) -> carrier.headers().get(key), Kind.CONSUMER);
    context.setCarrier(event);
    String topic = event.eventType();
    Observation observation =
        observation("outbox.handle", topic + " process", topic, context)
            .highCardinalityKeyValue("outbox.event.id", event.eventId());
    return observation.observeChecked(listeners::call);
  }

  /** The topic is no tag of a metric: nothing bounds the number of topics. */
  private Observation observation(
      String name, String contextualName, String topic, Observation.Context context) {
    return Observation.createNotStarted(name, () -> context, registry)
        .contextualName(contextualName)
        .highCardinalityKeyValue("outbox.topic", topic);
  }
}
