package outbox.spring.boot;

import java.lang.reflect.Type;

/**
 * Turns payloads into objects and back. The default one is the application's own Jackson mapper; a
 * bean of this type replaces it. Thread-safe.
 */
public interface PayloadCodec {

  /** The object that the payload stands for; whatever this throws ends the event for good. */
  Object read(String payload, Type type);

  String write(Object value);

  /**
   * Whether there are payloads that this could read as the type; asked at the start for what
   * listener methods want.
   */
  default boolean canRead(Type type) {
    return true;
  }
}
