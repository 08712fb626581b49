package outbox.jackson;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import outbox.PayloadCodec;

/**
 * The codec that {@link java.util.ServiceLoader} finds: Jackson 3 if the class path has it, else
 * Jackson 2, with a mapper of its own. Properties that a class does not have are ignored, and times
 * are written as text. Thread-safe.
 */
public final class DefaultJacksonCodec implements PayloadCodec {
  private final PayloadCodec codec;

  /**
   * Creates the codec.
   *
   * @throws IllegalStateException if the class path has no Jackson
   */
  public DefaultJacksonCodec() {
    this(DefaultJacksonCodec.class.getClassLoader());
  }

  DefaultJacksonCodec(@Nullable ClassLoader classes) {
    if (has("tools.jackson.databind.ObjectMapper", classes)) {
      this.codec = new JacksonCodec();
    } else if (has("com.fasterxml.jackson.databind.ObjectMapper", classes)) {
      this.codec = new Jackson2Codec();
    } else {
      throw new IllegalStateException(
          "outbox-jackson needs Jackson, and the class path has none; add"
              + " tools.jackson.core:jackson-databind, or com.fasterxml.jackson.core:"
              + "jackson-databind for Jackson 2");
    }
  }

  private static boolean has(String type, @Nullable ClassLoader classes) {
    try {
      Class.forName(type, false, classes);
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  @Override
  public byte[] encode(Object value) {
    return codec.encode(value);
  }

  @Override
  public @Nullable Object decode(byte[] payload, Type type) throws Exception {
    return codec.decode(payload, type);
  }

  @Override
  public boolean canRead(Type type) {
    return codec.canRead(type);
  }

  /** Names the codec it uses. */
  @Override
  public String toString() {
    return codec.getClass().getName();
  }
}
