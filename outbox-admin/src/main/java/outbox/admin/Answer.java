package outbox.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;
import outbox.admin.json.JsonObject;
import outbox.admin.json.JsonWriter;

/** What goes back: a status and a text. */
record Answer(int status, String contentType, String text) {
  private static final String JSON = "application/json";

  static Answer json(@Nullable Object value) {
    return json(200, value);
  }

  static Answer json(int status, @Nullable Object value) {
    return new Answer(status, JSON, JsonWriter.write(value));
  }

  static Answer changed(long number) {
    return json(new JsonObject().put("changed", number));
  }

  static Answer of(Problem problem) {
    return new Answer(problem.status(), Problem.CONTENT_TYPE, JsonWriter.write(problem.toJson()));
  }

  byte[] bytes() {
    return text.getBytes(UTF_8);
  }
}
