package outbox;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a payload cannot be read as the class that a listener or handler takes. The message
 * is tried again, because a newer node may be able to read it, unless {@link
 * OutboxConfig#setRetryUnreadablePayloads} says otherwise.
 */
public class UnreadablePayloadException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * For a codec.
   *
   * @param reason where in the payload and why, without a value of the payload
   */
  public UnreadablePayloadException(String reason) {
    super(reason);
  }

  /** Reads a payload by a codec; keeps the reason if it can be read by nothing. */
  static Object read(PayloadCodec codec, byte[] payload, @Nullable String contentType, Type type) {
    @Nullable Object value;
    try {
      value = codec.decode(payload, type);
    } catch (UnreadablePayloadException e) {
      throw as(type, codec, contentType, String.valueOf(e.getMessage()));
    } catch (Exception e) {
      throw as(type, codec, contentType, e.getClass().getName());
    }
    if (value == null) {
      throw as(type, codec, contentType, "it is null");
    }
    return value;
  }

  private static UnreadablePayloadException as(
      Type type, PayloadCodec codec, @Nullable String contentType, String reason) {
    String given = contentType == null ? PayloadCodec.JSON : contentType;
    String hint =
        given.equals(codec.contentType())
            ? ""
            : "; its content type is " + given + ", and the codec reads " + codec.contentType();
    return new UnreadablePayloadException(
        "the payload cannot be read as " + type.getTypeName() + ": " + reason + hint);
  }
}
