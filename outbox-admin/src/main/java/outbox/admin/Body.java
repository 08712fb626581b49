package outbox.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The body of a request as it comes in, up to a limit, and the JSON object that it is. */
final class Body {
  static final int MAX_BYTES = 64 * 1024;

  /** How long a body may take from the end of the headers to its last byte. */
  static final Duration DEADLINE = Duration.ofSeconds(10);

  /** So much more is read and thrown away, so that the sender gets to read the answer. */
  private static final int MAX_DISCARDED = 16 * 1024 * 1024;

  private final ByteArrayOutputStream content = new ByteArrayOutputStream();
  private long length;

  /**
   * Adds what was read; nothing if it is less than one byte.
   *
   * @throws Problem if it is by far too much
   */
  void add(byte[] buffer, int read) {
    length += Math.max(0, read);
    if (length <= MAX_BYTES && read > 0) {
      content.write(buffer, 0, read);
    }
    if (length > MAX_DISCARDED) {
      throw tooLarge();
    }
  }

  /**
   * @throws Problem if it is too much
   */
  byte[] complete() {
    if (length > MAX_BYTES) {
      throw tooLarge();
    }
    return content.toByteArray();
  }

  private static Problem tooLarge() {
    return new Problem(
        413, "Body too large", "The body must not exceed " + MAX_BYTES + " bytes.", null);
  }

  static Problem late() {
    String detail = "The body did not arrive within " + DEADLINE.toSeconds() + " seconds.";
    return new Problem(408, "Too slow", detail, null);
  }

  static Problem tooMany() {
    return Problem.later(
        503, "Busy", "Too many requests send their bodies slowly.", DEADLINE.toSeconds());
  }

  /** The object, or an empty one if there is no body. */
  static Arguments parsed(byte[] bytes, @Nullable String contentType) {
    if (bytes.length == 0) {
      return new Arguments("field", Map.of());
    }
    requireJson(contentType);
    if (!(JsonReader.read(text(bytes)) instanceof Map<?, ?> map)) {
      throw Problem.invalid("body", "The body must be a JSON object.");
    }
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    map.forEach((name, value) -> fields.put(String.valueOf(name), value));
    return new Arguments("field", fields);
  }

  private static void requireJson(@Nullable String contentType) {
    String type = contentType == null ? "" : contentType.toLowerCase(Locale.ROOT);
    if (!type.equals("application/json") && !type.startsWith("application/json;")) {
      throw new Problem(
          415, "Unsupported body", "The body must be sent as application/json.", null);
    }
  }

  private static String text(byte[] bytes) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw Problem.invalid("body", "The body is not valid UTF-8.");
    }
  }
}
