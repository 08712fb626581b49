package outbox.admin.json;

import java.util.Base64;
import java.util.Locale;
import outbox.admin.data.Payload;

/** What was sent, as JSON. */
final class PayloadJson {
  private PayloadJson() {}

  static JsonObject of(Payload payload) {
    JsonObject json =
        new JsonObject()
            .put("kind", payload.kind().name().toLowerCase(Locale.ROOT))
            .put("size", payload.size());
    if (payload.text() != null) {
      json.put("text", payload.text());
    }
    if (payload.bytes() != null) {
      json.put("base64", Base64.getEncoder().encodeToString(payload.bytes()));
    }
    return json;
  }
}
