package outbox.admin;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.EventDetail;
import outbox.admin.data.InboxDetail;
import outbox.admin.data.Payload;
import outbox.internal.text.LogText;
import outbox.model.Join;

/** Messages after redaction; what it fails on is hidden. */
record Redactor(Redaction redaction) {
  private static final Logger LOG = System.getLogger(Redactor.class.getName());
  private static final String HIDDEN = "hidden";

  EventDetail shown(EventDetail event) {
    String topic = event.row().topic();
    return new EventDetail(
        event.row(),
        headers(topic, event.headers()),
        event.error(),
        payload(topic, event.payload()),
        event.timeline(),
        event.joins());
  }

  InboxDetail shown(InboxDetail message) {
    String topic = message.row().topic() == null ? "" : message.row().topic();
    return new InboxDetail(
        message.row(),
        headers(topic, message.headers()),
        message.error(),
        payload(topic, message.payload()),
        message.timeline());
  }

  private Map<String, String> headers(String topic, Map<String, String> headers) {
    Map<String, String> shown = new LinkedHashMap<>();
    headers.forEach((name, value) -> shown.put(name, header(topic, name, value)));
    return shown;
  }

  private String header(String topic, String name, String value) {
    try {
      return orHidden(redaction.header(topic, name, value));
    } catch (RuntimeException e) {
      warn(topic, e);
      return HIDDEN;
    }
  }

  /** The metadata of a join; null if it has none. */
  @Nullable String metadata(Join join) {
    String metadata = join.metadata();
    try {
      return metadata == null
          ? null
          : orHidden(redaction.joinMetadata(join.groupingKey(), metadata));
    } catch (RuntimeException e) {
      warn("", e);
      return HIDDEN;
    }
  }

  private static String orHidden(@Nullable String shown) {
    return shown == null ? HIDDEN : shown;
  }

  private Payload payload(String topic, Payload payload) {
    String text = payload.text();
    byte[] bytes = payload.bytes();
    try {
      text = text == null ? null : redaction.text(topic, text);
      bytes = bytes == null ? null : redaction.bytes(topic, bytes);
    } catch (RuntimeException e) {
      warn(topic, e);
      text = null;
      bytes = null;
    }
    Payload.Kind kind = payload.kind();
    boolean content = kind == Payload.Kind.TEXT || kind == Payload.Kind.BYTES;
    boolean hidden = content && text == null && bytes == null;
    return new Payload(hidden ? Payload.Kind.HIDDEN : kind, text, bytes, payload.size());
  }

  /** Without the exception's text, which may quote what must not be seen. */
  private static void warn(String topic, RuntimeException e) {
    LOG.log(
        Level.WARNING,
        "OUTBOX_ADMIN_REDACTION_FAILED topic="
            + LogText.of(topic)
            + " error="
            + e.getClass().getName());
  }
}
