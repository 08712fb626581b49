package outbox.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the JSON object that a request brings, up to a limit. */
final class Body {
  static final int MAX_BYTES = 64 * 1024;

  /** So much more is read and thrown away, so that the sender gets to read the answer. */
  private static final int MAX_DISCARDED = 16 * 1024 * 1024;

  private Body() {}

  /** The object, or an empty one if there is no body. */
  static Arguments read(HttpServletRequest request) throws IOException {
    byte[] bytes = bytes(request);
    if (bytes.length == 0) {
      return new Arguments("field", Map.of());
    }
    requireJson(request.getContentType());
    if (!(JsonReader.read(text(bytes)) instanceof Map<?, ?> map)) {
      throw Problem.invalid("body", "The body must be a JSON object.");
    }
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    map.forEach((name, value) -> fields.put(String.valueOf(name), value));
    return new Arguments("field", fields);
  }

  private static byte[] bytes(HttpServletRequest request) throws IOException {
    InputStream in = request.getInputStream();
    byte[] bytes = in.readNBytes(MAX_BYTES + 1);
    if (bytes.length <= MAX_BYTES) {
      return bytes;
    }
    in.skip(MAX_DISCARDED);
    throw new Problem(
        413, "Body too large", "The body must not exceed " + MAX_BYTES + " bytes.", null);
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
