package outbox.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.admin.json.JsonObject;
import outbox.admin.json.JsonWriter;

/**
 * What goes back, with the headers that keep a browser from making more of it.
 *
 * @param contentType null if there is no content, not even an empty one
 */
@SuppressWarnings("ArrayRecordComponent")
record Answer(
    int status, @Nullable String contentType, byte[] content, Map<String, String> headers) {
  private static final byte[] NOTHING = {};
  private static final String DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

  static Answer json(@Nullable Object value) {
    return json(200, value);
  }

  static Answer json(int status, @Nullable Object value) {
    return text(status, "application/json", JsonWriter.write(value));
  }

  static Answer text(int status, String contentType, String text) {
    Map<String, String> headers = guarded(DATA_POLICY);
    headers.put("Cache-Control", "no-store");
    return new Answer(status, contentType, text.getBytes(UTF_8), headers);
  }

  static Answer changed(long number) {
    return json(new JsonObject().put("changed", number));
  }

  static Answer of(Problem problem) {
    Answer answer =
        text(problem.status(), Problem.CONTENT_TYPE, JsonWriter.write(problem.toJson()));
    if (problem.status() == 401) {
      answer.headers.put("WWW-Authenticate", "Bearer realm=\"outbox\"");
    }
    if (problem.retryAfterSeconds() > 0) {
      answer.headers.put("Retry-After", Long.toString(problem.retryAfterSeconds()));
    }
    return answer;
  }

  /**
   * @param known the tag of the page that the sender has already
   */
  static Answer of(Pages.Page page, @Nullable String known) {
    Map<String, String> headers = guarded(Pages.CONTENT_SECURITY_POLICY);
    headers.put("Cache-Control", "no-cache");
    headers.put("ETag", page.tag());
    return page.tag().equals(known)
        ? new Answer(304, null, NOTHING, headers)
        : new Answer(200, page.contentType(), page.content(), headers);
  }

  static Answer options(String allowed) {
    Map<String, String> headers = guarded(DATA_POLICY);
    headers.put("Allow", allowed);
    return new Answer(204, null, NOTHING, headers);
  }

  private static Map<String, String> guarded(String policy) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Security-Policy", policy);
    headers.put("X-Content-Type-Options", "nosniff");
    headers.put("X-Frame-Options", "DENY");
    headers.put("Referrer-Policy", "no-referrer");
    return headers;
  }
}
