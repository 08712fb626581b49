package outbox.engine;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import outbox.PayloadCodec;
import outbox.UnreadablePayloadException;

/** Numbers, which are JSON. */
final class NumberCodec implements PayloadCodec {
  @Override
  public byte[] encode(Object value) {
    return value.toString().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public Object decode(byte[] payload, Type type) {
    try {
      return Integer.parseInt(new String(payload, StandardCharsets.UTF_8));
    } catch (NumberFormatException e) {
      throw new UnreadablePayloadException("no number");
    }
  }
}
