package outbox.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The description of the API for machines; kept true by a test. */
final class OpenApi {
  private OpenApi() {}

  /**
   * @param api the path of the API, with that of its context
   */
  static Answer document(String api) {
    try (InputStream in = OpenApi.class.getResourceAsStream("/outbox/admin/openapi.json")) {
      if (in == null) {
        throw new IllegalStateException("openapi.json is not on the class path");
      }
      String text = new String(in.readAllBytes(), UTF_8);
      return Answer.text(200, "application/json", text.replace("{api}", api));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
