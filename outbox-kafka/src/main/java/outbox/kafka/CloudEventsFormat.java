package outbox.kafka;

import static java.util.Objects.requireNonNull;

import io.cloudevents.CloudEvent;
import io.cloudevents.core.builder.CloudEventBuilder;
import io.cloudevents.core.provider.EventFormatProvider;
import io.cloudevents.kafka.KafkaMessageFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.PayloadCodec;
import outbox.internal.broker.Payloads;
import outbox.internal.broker.WireHeaders;

/**
 * CloudEvents 1.0. The aggregate id is the subject; tenant, correlation id and aggregate type are
 * extensions, and so are those headers of the event whose names can be one, such as {@code
 * traceparent}. All other headers become headers of the record.
 */
final class CloudEventsFormat implements RecordFormat {
  private static final Pattern EXTENSION = Pattern.compile("[a-z0-9]{1,20}");
  private static final Set<String> ATTRIBUTES =
      Set.of(
          "id",
          "source",
          "type",
          "specversion",
          "time",
          "subject",
          "datacontenttype",
          "dataschema",
          "data");

  private final URI source;
  private final CloudEventsMode mode;

  CloudEventsFormat(URI source, CloudEventsMode mode) {
    this.source = requireNonNull(source, "source");
    this.mode = requireNonNull(mode, "mode");
    if (mode == CloudEventsMode.STRUCTURED
        && EventFormatProvider.getInstance().resolveFormat(CloudEventNames.JSON) == null) {
      throw new IllegalStateException(
          "cloudEvents (STRUCTURED) needs a JSON format on the class path; add"
              + " io.cloudevents:cloudevents-json-jackson, or use BINARY");
    }
  }

  @Override
  public ProducerRecord<byte[], byte[]> record(
      String topic, byte @Nullable [] key, EventEnvelope event) {
    CloudEvent written = event(event);
    var writer = KafkaMessageFactory.createWriter(topic, key);
    ProducerRecord<byte[], byte[]> record =
        mode == CloudEventsMode.BINARY
            ? writer.writeBinary(written)
            : writer.writeStructured(written, CloudEventNames.JSON);
    event
        .headers()
        .forEach(
            (name, value) -> {
              if (!isExtension(name) && !name.equals(PayloadCodec.CONTENT_TYPE)) {
                record.headers().add(name, value.getBytes(StandardCharsets.UTF_8));
              }
            });
    return record;
  }

  private CloudEvent event(EventEnvelope event) {
    CloudEventBuilder builder =
        CloudEventBuilder.v1()
            .withId(event.eventId())
            .withSource(source)
            .withType(event.eventType())
            .withTime(event.occurredAt().atOffset(ZoneOffset.UTC))
            .withData(WireHeaders.contentType(event), Payloads.bytes(event));
    if (event.aggregateId() != null) {
      builder.withSubject(event.aggregateId());
    }
    extension(builder, CloudEventNames.AGGREGATE_TYPE, event.aggregateType());
    extension(builder, CloudEventNames.TENANT_ID, event.tenantId());
    extension(builder, CloudEventNames.CORRELATION_ID, event.correlationId());
    for (Map.Entry<String, String> header : event.headers().entrySet()) {
      if (isExtension(header.getKey())) {
        builder.withExtension(header.getKey(), header.getValue());
      }
    }
    return builder.build();
  }

  private static void extension(CloudEventBuilder builder, String name, @Nullable String value) {
    if (value != null) {
      builder.withExtension(name, value);
    }
  }

  private static boolean isExtension(String name) {
    return EXTENSION.matcher(name).matches() && !ATTRIBUTES.contains(name);
  }
}
