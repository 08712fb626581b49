package outbox;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Turns objects into payloads and payloads into objects. {@code outbox-jackson} has one for JSON;
 * implement it for another format, such as Protocol Buffers. Implementations are thread-safe.
 *
 * <p>A builder takes a codec by {@code codec(…)}. Without it, the codec is the one that {@link
 * java.util.ServiceLoader} finds.
 *
 * <p>A payload that is JSON is stored as text and needs no header. A codec of another content type
 * adds the header {@value #CONTENT_TYPE} to each message it writes.
 */
public interface PayloadCodec {
  /** The content type that a message without a {@value #CONTENT_TYPE} header has: {@value}. */
  String JSON = "application/json";

  /** The header that names the content type of a payload: {@value}. */
  String CONTENT_TYPE = "content-type";

  /**
   * Returns a codec that uses the only provider on the class path or module path. It looks for the
   * provider on its first use, and throws an {@link IllegalStateException} if there is none, or
   * more than one.
   */
  static PayloadCodec onClassPath() {
    return new FoundCodec();
  }

  /** The content type of the payloads; constant. */
  default String contentType() {
    return JSON;
  }

  /**
   * Whether the payloads are text in UTF-8, stored in the text column; else they are stored as
   * bytes. Constant. By default true if the content type is {@value #JSON}.
   */
  default boolean isText() {
    return contentType().equals(JSON);
  }

  /**
   * Writes an object.
   *
   * @throws IllegalArgumentException if this codec cannot write objects of the class
   */
  byte[] encode(Object value);

  /**
   * Reads a payload.
   *
   * @param type the class, or the generic type, of the object to return
   * @return the object; null counts as unreadable
   * @throws UnreadablePayloadException with the reason, which the library keeps in {@code
   *     last_error}: where in the payload and why, without a value of the payload
   * @throws Exception if the payload cannot be read; the library keeps its class only, because its
   *     message may quote the payload
   */
  @Nullable Object decode(byte[] payload, Type type) throws Exception;

  /**
   * Returns whether a payload exists that this codec could read as the type. A start asks it for
   * the parameters of listener methods, to refuse those that can never be called.
   */
  default boolean canRead(Type type) {
    return true;
  }

  /**
   * Reads the payload of an event.
   *
   * @throws UnreadablePayloadException if it cannot be read
   */
  @SuppressWarnings("unchecked")
  default <T> T read(EventEnvelope event, Class<T> type) {
    return (T) read(event, (Type) type);
  }

  /**
   * Reads the payload of an event as a generic type, such as a list of orders.
   *
   * @throws UnreadablePayloadException if it cannot be read
   */
  default Object read(EventEnvelope event, Type type) {
    String text = event.payloadJson();
    byte[] bytes =
        text == null ? requireNonNull(event.payloadBytes()) : text.getBytes(StandardCharsets.UTF_8);
    return UnreadablePayloadException.read(this, bytes, event.headers().get(CONTENT_TYPE), type);
  }

  /**
   * Reads a text payload.
   *
   * @throws UnreadablePayloadException if it cannot be read
   */
  default Object read(String payload, Type type) {
    byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
    return UnreadablePayloadException.read(this, bytes, null, type);
  }
}
