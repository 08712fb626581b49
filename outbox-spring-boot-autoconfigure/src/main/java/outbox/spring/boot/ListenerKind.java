package outbox.spring.boot;

import java.sql.Connection;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.HandlerContext;
import outbox.OutboxMessage;
import outbox.inbox.InboxMessage;

/** What the parameters of a listener method may be, beside the payload. */
@SuppressWarnings("ImmutableEnumChecker")
enum ListenerKind {
  OUTBOX(
      "@OutboxListener",
      Map.of(
          EventEnvelope.class, Delivered::envelope,
          OutboxMessage.class, Delivered::message,
          HandlerContext.class, Delivered::context,
          Connection.class, Delivered::connection,
          byte[].class, Delivered::bytes)),
  OUTBOX_ALL(
      "@OutboxListener(\"*\")",
      Map.of(
          EventEnvelope.class, Delivered::envelope,
          Connection.class, Delivered::connection,
          byte[].class, Delivered::bytes)),
  INBOX(
      "@InboxListener",
      Map.of(
          InboxMessage.class, Delivered::inbound,
          HandlerContext.class, Delivered::context,
          Connection.class, Delivered::connection));

  final String label;
  private final Map<Class<?>, Function<Delivered, @Nullable Object>> parts;

  ListenerKind(String label, Map<Class<?>, Function<Delivered, @Nullable Object>> parts) {
    this.label = label;
    this.parts = parts;
  }

  @Nullable Function<Delivered, @Nullable Object> part(Class<?> type) {
    return parts.get(type);
  }

  /** Whether a class is one of ours that this kind of listener cannot have. */
  boolean isForeign(Class<?> type) {
    return type.getPackageName().equals("outbox")
        || type.getPackageName().startsWith("outbox.inbox");
  }

  String choices() {
    return parts.keySet().stream().map(Class::getSimpleName).sorted().toList()
        + ", String for the payload as it is, and one class that the payload is read as";
  }
}
