package outbox.webhook;

import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;

/** See {@link WebhookSignature#standard(String...)}. */
record StandardSignature(Hmac hmac, Duration tolerance, Clock clock) implements WebhookSignature {
  static final String ID = "webhook-id";
  static final String TIME = "webhook-timestamp";
  static final String SIGNATURE = "webhook-signature";

  private static final String VERSION = "v1,";

  @Override
  public void check(WebhookRequest request) throws BadSignatureException {
    String id = required(request, ID);
    String time = required(request, TIME);
    checkAge(time);
    byte[] signed = Hmac.bytes(id + "." + time + ".");
    for (String signature : required(request, SIGNATURE).split(" ", -1)) {
      if (signature.startsWith(VERSION)
          && hmac.matches(bytes(signature.substring(VERSION.length())), signed, request.body())) {
        return;
      }
    }
    throw new BadSignatureException("no signature in " + SIGNATURE + " is of a known secret");
  }

  private void checkAge(String time) throws BadSignatureException {
    Duration age;
    try {
      age = Duration.between(Instant.ofEpochSecond(Long.parseLong(time)), clock.instant()).abs();
    } catch (NumberFormatException | DateTimeException | ArithmeticException e) {
      throw new BadSignatureException(TIME + " is not a time in seconds");
    }
    if (age.compareTo(tolerance) > 0) {
      throw new BadSignatureException(
          TIME + " is " + age + " away from this clock, more than " + tolerance);
    }
  }

  private static String required(WebhookRequest request, String name) throws BadSignatureException {
    String value = request.header(name);
    if (value == null) {
      throw new BadSignatureException("header " + name + " is missing");
    }
    return value;
  }

  private static byte[] bytes(String text) {
    try {
      return Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      return new byte[0];
    }
  }
}
