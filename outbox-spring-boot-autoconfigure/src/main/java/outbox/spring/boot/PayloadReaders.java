package outbox.spring.boot;

import java.lang.reflect.Type;
import java.util.Collection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import outbox.EventEnvelope;
import outbox.PayloadCodec;
import outbox.PermanentFailureException;
import outbox.UnreadablePayloadException;

/** Reads payloads as what listener methods want. */
record PayloadReaders(ListableBeanFactory beans, @Nullable PayloadCodec codec) {

  /** Why no payload can be of this class, as the end of a sentence; null if one can. */
  @Nullable String obstacle(ListenerKind kind, Class<?> raw, Type type) {
    if (raw == String.class) {
      return null;
    }
    if (raw.isPrimitive() || raw.isArray() || kind.isForeign(raw)) {
      return "";
    }
    if (Collection.class.isAssignableFrom(raw)) {
      return ", which would be several events, and the method gets one at a time; take a JSON array"
          + " as String, or as a class that it is a part of";
    }
    if (isBean(raw)) {
      return ", which is a bean; inject it into the class instead";
    }
    return codec != null && !codec.canRead(type) ? ", which no payload can be read as" : null;
  }

  /** Classes of the platform are not judged: the environment is a bean of type Map. */
  private boolean isBean(Class<?> raw) {
    return !raw.getName().startsWith("java.")
        && beans.getBeanNamesForType(raw, true, false).length > 0;
  }

  /**
   * What takes the payload out of a delivery.
   *
   * @param method who wants it, for messages
   */
  Function<Delivered, @Nullable Object> reader(Type type, String method) {
    if (type == String.class) {
      return delivered -> text(delivered, method);
    }
    PayloadCodec reader = codec;
    if (reader == null) {
      throw new OutboxSetupException(
          method + " wants its payload as " + type.getTypeName() + ", and nothing can read it.",
          "Add "
              + BootLine.JSON_STARTER
              + ", define a PayloadCodec bean, or take the payload as String.");
    }
    return delivered -> read(reader, delivered, type, method);
  }

  private static String text(Delivered delivered, String method) {
    String text = delivered.text();
    if (text == null) {
      throw new PermanentFailureException("the payload is binary, but " + method + " reads text");
    }
    return text;
  }

  private static Object read(PayloadCodec reader, Delivered delivered, Type type, String method) {
    try {
      EventEnvelope event = delivered.envelope();
      return event == null ? reader.read(text(delivered, method), type) : reader.read(event, type);
    } catch (UnreadablePayloadException e) {
      throw new UnreadablePayloadException(e.getMessage() + "; wanted by " + method);
    }
  }
}
