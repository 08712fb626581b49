package outbox.admin;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.Payload;

/** What was sent, as JSON, after redaction. */
record PayloadJson(Redaction redaction) {
  private static final Logger LOG = System.getLogger(PayloadJson.class.getName());
  private static final String HIDDEN = "hidden";

  Map<String, String> headers(@Nullable String topic, Map<String, String> headers) {
    Map<String, String> shown = new LinkedHashMap<>();
    headers.forEach((name, value) -> shown.put(name, header(topic(topic), name, value)));
    return shown;
  }

  private String header(String topic, String name, String value) {
    try {
      return redaction.header(topic, name, value);
    } catch (RuntimeException e) {
      return failed(topic, e);
    }
  }

  JsonObject payload(@Nullable String topic, Payload payload) {
    return switch (payload.kind()) {
      case TEXT -> text(topic(topic), payload);
      case BYTES -> bytes(topic(topic), payload);
      case HIDDEN -> of(HIDDEN, payload);
      case CLEARED -> of("cleared", payload);
    };
  }

  private JsonObject text(String topic, Payload payload) {
    String shown = null;
    try {
      shown = redaction.text(topic, payload.text() == null ? "" : payload.text());
    } catch (RuntimeException e) {
      failed(topic, e);
    }
    return shown == null ? of(HIDDEN, payload) : of("text", payload).put("text", shown);
  }

  private JsonObject bytes(String topic, Payload payload) {
    byte[] shown = null;
    try {
      shown = redaction.bytes(topic, payload.bytes() == null ? new byte[0] : payload.bytes());
    } catch (RuntimeException e) {
      failed(topic, e);
    }
    return shown == null
        ? of(HIDDEN, payload)
        : of("bytes", payload).put("base64", Base64.getEncoder().encodeToString(shown));
  }

  private static JsonObject of(String kind, Payload payload) {
    return new JsonObject().put("kind", kind).put("size", payload.size());
  }

  private static String topic(@Nullable String topic) {
    return topic == null ? "" : topic;
  }

  /** Without the exception's text, which may quote what must not be seen. */
  private static String failed(String topic, RuntimeException e) {
    LOG.log(
        Level.WARNING,
        "OUTBOX_ADMIN_REDACTION_FAILED topic=" + topic + " error=" + e.getClass().getName());
    return HIDDEN;
  }
}
