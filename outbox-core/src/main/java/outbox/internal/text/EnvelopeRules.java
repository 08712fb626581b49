package outbox.internal.text;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What every database of this library can store. Messages name the field and the rule, no content.
 */
public final class EnvelopeRules {
  private static final int MAX_TYPE_LENGTH = 255;
  private static final int MAX_KEY_LENGTH = 64;
  private static final int MAX_OPERATOR_LENGTH = 64;
  private static final int MAX_ORDERING_KEY_LENGTH = 255;
  private static final int MAX_HEADER_BYTES = 65_536;

  private EnvelopeRules() {}

  public static String required(String field, @Nullable String value, int maxLength) {
    requireNonNull(value, field + " must not be null");
    if (value.isEmpty()) {
      throw new IllegalArgumentException(field + " must not be empty");
    }
    return StorableText.atMost(field, value, maxLength);
  }

  /** The specification of the work queue wants an illegal argument, not a missing pointer. */
  public static String given(String field, @Nullable String value) {
    if (value == null) {
      throw new IllegalArgumentException(field + " must not be null");
    }
    return value;
  }

  /** The name of the operator who replays or discards. */
  public static String operator(String by) {
    if (requireNonNull(by, "by").isBlank()) {
      throw new IllegalArgumentException("by must not be blank: it says who did it");
    }
    return StorableText.atMost("by", by, MAX_OPERATOR_LENGTH);
  }

  public static String topic(@Nullable String topic) {
    return type("topic", given("topic", topic));
  }

  public static String type(String field, @Nullable String value) {
    String type = required(field, value, MAX_TYPE_LENGTH);
    if (type.isBlank()) {
      throw new IllegalArgumentException(field + " must not be blank");
    }
    return type;
  }

  /** The topic of a handler, which handles no other. */
  public static String handled(String topic) {
    if (requireNonNull(topic, "topic").isBlank() || topic.equals("*")) {
      throw new IllegalArgumentException(
          "topic ("
              + topic
              + ") of a handler must name one topic; for every message give an EventListener to"
              + " listenerOfAll(…)");
    }
    return topic;
  }

  /** When an event ends that is due at some time; compared as precisely as it is stored. */
  public static @Nullable Instant expiry(@Nullable Instant expiresAt, @Nullable Instant dueAt) {
    if (expiresAt != null
        && dueAt != null
        && !expiresAt
            .truncatedTo(ChronoUnit.MICROS)
            .isAfter(dueAt.truncatedTo(ChronoUnit.MICROS))) {
      throw new IllegalArgumentException(
          "expiresAt ("
              + expiresAt
              + ") must be after dueAt ("
              + dueAt
              + "), or the event could never be delivered");
    }
    return expiresAt;
  }

  public static String idempotencyKey(@Nullable String key) {
    return unpadded("idempotencyKey", required("idempotencyKey", key, MAX_KEY_LENGTH));
  }

  public static @Nullable String orderingKey(@Nullable String key) {
    return key == null
        ? null
        : unpadded("orderingKey", required("orderingKey", key, MAX_ORDERING_KEY_LENGTH));
  }

  /** The tenant that a key belongs to. */
  public static @Nullable String keyTenant(@Nullable String tenantId) {
    return tenantId == null ? null : unpadded("tenantId", tenantId);
  }

  /** MariaDB, MySQL and SQL Server take two texts for equal that differ in blanks at the end. */
  private static String unpadded(String field, String value) {
    if (value.endsWith(" ")) {
      throw new IllegalArgumentException(
          field
              + " ends with a blank, which not every database tells from none when it looks for a"
              + " key; strip it");
    }
    return value;
  }

  /** A key that is the event's id could not be told from none. */
  public static String idempotencyKey(String key, @Nullable String tenantId, String eventId) {
    keyTenant(tenantId);
    unpadded("eventId", eventId);
    if (key.equals(eventId)) {
      throw new IllegalArgumentException(
          "eventId and idempotencyKey are the same; leave out eventId, and the event gets an id of"
              + " its own");
    }
    return idempotencyKey(key);
  }

  public static @Nullable String optional(String field, @Nullable String value, int maxLength) {
    return value == null ? null : StorableText.atMost(field, value, maxLength);
  }

  public static Map<String, String> headers(Map<String, String> headers) {
    if (headers.isEmpty()) {
      return Map.of();
    }
    long bytes = 0;
    for (Map.Entry<String, String> header : headers.entrySet()) {
      String name = requireNonNull(header.getKey(), "header name must not be null");
      if (name.isEmpty()) {
        throw new IllegalArgumentException("header name must not be empty");
      }
      String value =
          requireNonNull(header.getValue(), () -> "header '" + name + "' must not be null");
      bytes +=
          StorableText.utf8Length("header name", name)
              + StorableText.utf8Length(() -> "header '" + name + "'", value);
    }
    if (bytes > MAX_HEADER_BYTES) {
      throw new IllegalArgumentException(
          "headers (" + bytes + " bytes) must not exceed " + MAX_HEADER_BYTES + " bytes in all");
    }
    return Collections.unmodifiableMap(new LinkedHashMap<>(headers));
  }

  public static int payloadSize(@Nullable String json, byte @Nullable [] bytes, int limit) {
    if (json != null && bytes != null) {
      throw new IllegalArgumentException(
          "payloadJson and payloadBytes are both set; set exactly one of them");
    }
    if (json == null && bytes == null) {
      throw new IllegalArgumentException(
          "neither payloadJson nor payloadBytes is set; set exactly one of them");
    }
    long size =
        json != null ? StorableText.utf8Length("payloadJson", json) : requireNonNull(bytes).length;
    if (size > limit) {
      throw new IllegalArgumentException(
          (json != null ? "payloadJson (" : "payloadBytes (")
              + size
              + " bytes) must not exceed "
              + limit
              + " bytes; store large content elsewhere and publish a reference, or raise"
              + " maxPayloadBytes");
    }
    return (int) size;
  }
}
