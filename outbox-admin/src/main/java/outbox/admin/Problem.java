package outbox.admin;

import org.jspecify.annotations.Nullable;
import outbox.admin.json.JsonObject;

/**
 * Why a request is not answered as it was meant, in words for the sender: RFC 9457. Whatever text
 * goes in here leaves the house, so it never comes from an exception of the database.
 */
final class Problem extends RuntimeException {
  static final String CONTENT_TYPE = "application/problem+json";

  private static final long serialVersionUID = 1;

  private final int status;
  private final String title;
  private final String detail;
  private final @Nullable String field;
  private final long retryAfterSeconds;

  Problem(int status, String title, String detail, @Nullable String field) {
    this(status, title, detail, field, 0);
  }

  private Problem(
      int status, String title, String detail, @Nullable String field, long retryAfterSeconds) {
    super(detail, null, false, false);
    this.status = status;
    this.title = title;
    this.detail = detail;
    this.field = field;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** A problem that is over after a while. */
  static Problem later(int status, String title, String detail, long retryAfterSeconds) {
    return new Problem(status, title, detail, null, retryAfterSeconds);
  }

  static Problem invalid(String field, String detail) {
    return new Problem(400, "Invalid request", detail, field);
  }

  static Problem unknownCaller() {
    return new Problem(
        401, "Not signed in", "Send a known token as Authorization: Bearer, or sign in.", null);
  }

  static Problem forbidden(String detail) {
    return new Problem(403, "Not allowed", detail, null);
  }

  static Problem notFound(String detail) {
    return new Problem(404, "Not found", detail, null);
  }

  static Problem clash(String detail) {
    return new Problem(409, "Not now", detail, null);
  }

  int status() {
    return status;
  }

  /** 0 if it is not known when it is over. */
  long retryAfterSeconds() {
    return retryAfterSeconds;
  }

  JsonObject toJson() {
    JsonObject json =
        new JsonObject()
            .put("type", "about:blank")
            .put("title", title)
            .put("status", status)
            .put("detail", detail);
    return field == null ? json : json.put("field", field);
  }
}
