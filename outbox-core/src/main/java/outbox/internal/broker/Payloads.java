package outbox.internal.broker;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import outbox.EventEnvelope;

/** Payloads as bytes, and back. */
public final class Payloads {
  private Payloads() {}

  public static byte[] bytes(EventEnvelope event) {
    String text = event.payloadJson();
    return text != null
        ? text.getBytes(StandardCharsets.UTF_8)
        : requireNonNull(event.payloadBytes(), "payload");
  }

  /**
   * Reads text.
   *
   * @throws CharacterCodingException if the bytes are not UTF-8
   */
  public static String text(byte[] bytes) throws CharacterCodingException {
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
  }
}
