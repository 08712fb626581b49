package outbox.spring.boot;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.HandlerContext;
import outbox.OutboxMessage;
import outbox.inbox.InboxMessage;

/** All that a listener method may ask for; what a kind of listener cannot have is null. */
record Delivered(
    @Nullable EventEnvelope envelope,
    @Nullable OutboxMessage message,
    @Nullable InboxMessage inbound,
    @Nullable HandlerContext context,
    @Nullable Connection connection) {

  static Delivered of(EventEnvelope envelope, @Nullable Connection connection) {
    return new Delivered(envelope, null, null, null, connection);
  }

  static Delivered of(
      OutboxMessage message, HandlerContext context, @Nullable Connection connection) {
    return new Delivered(message.envelope(), message, null, context, connection);
  }

  static Delivered of(
      InboxMessage inbound, HandlerContext context, @Nullable Connection connection) {
    return new Delivered(null, null, inbound, context, connection);
  }

  /** The payload as text; null if it is binary. */
  @Nullable String text() {
    return inbound != null ? inbound.payload() : Objects.requireNonNull(envelope).payloadJson();
  }

  byte[] bytes() {
    String text = text();
    return text != null
        ? text.getBytes(StandardCharsets.UTF_8)
        : Objects.requireNonNull(Objects.requireNonNull(envelope).payloadBytes());
  }
}
