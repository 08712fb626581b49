package outbox.internal.broker;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.PayloadCodec;

/** The headers by which a message of a broker carries what an envelope has beside its payload. */
public final class WireHeaders {
  private static final String PREFIX = "outbox-";

  public static final String EVENT_ID = PREFIX + "event-id";
  public static final String EVENT_TYPE = PREFIX + "event-type";
  public static final String EVENT_TIME = PREFIX + "event-time";
  public static final String AGGREGATE_TYPE = PREFIX + "aggregate-type";
  public static final String AGGREGATE_ID = PREFIX + "aggregate-id";
  public static final String TENANT_ID = PREFIX + "tenant-id";
  public static final String CORRELATION_ID = PREFIX + "correlation-id";
  public static final String ORDERING_KEY = PREFIX + "ordering-key";

  private WireHeaders() {}

  /** Those of the event first, then what else it has; its own headers never replace these. */
  public static Map<String, String> of(EventEnvelope event) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put(EVENT_ID, event.eventId());
    headers.put(EVENT_TYPE, event.eventType());
    headers.put(EVENT_TIME, event.occurredAt().toString());
    put(headers, AGGREGATE_TYPE, event.aggregateType());
    put(headers, AGGREGATE_ID, event.aggregateId());
    put(headers, TENANT_ID, event.tenantId());
    put(headers, CORRELATION_ID, event.correlationId());
    put(headers, ORDERING_KEY, event.orderingKey());
    event.headers().forEach(headers::putIfAbsent);
    headers.putIfAbsent(PayloadCodec.CONTENT_TYPE, contentType(event));
    return headers;
  }

  /** The content type that the event names, else JSON for text and bytes for anything else. */
  public static String contentType(EventEnvelope event) {
    String named = event.headers().get(PayloadCodec.CONTENT_TYPE);
    if (named != null) {
      return named;
    }
    return event.payloadJson() != null ? PayloadCodec.JSON : "application/octet-stream";
  }

  /** What keeps the events of one order or aggregate together; null if the event has neither. */
  public static @Nullable String key(EventEnvelope event) {
    return event.orderingKey() != null ? event.orderingKey() : event.aggregateId();
  }

  private static void put(Map<String, String> headers, String name, @Nullable String value) {
    if (value != null) {
      headers.put(name, value);
    }
  }
}
