package outbox.jdbc.samples;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** The signature of a webhook: {@code t=<seconds>,v1=<hex of HMAC-SHA256 over "seconds.body">}. */
final class WebhookSignature {
  // region webhook-signature
  private static final Pattern HEADER = Pattern.compile("t=(\\d{1,12}),v1=([0-9a-f]{64})");
  private static final Duration TOLERANCE = Duration.ofMinutes(5);

  private final byte[] secret;
  private final Clock clock;

  WebhookSignature(byte[] secret, Clock clock) {
    this.secret = secret.clone();
    this.clock = clock;
  }

  boolean matches(@Nullable String header, byte[] body) {
    Matcher parts = HEADER.matcher(header == null ? "" : header);
    if (!parts.matches()) {
      return false;
    }
    Instant signedAt = Instant.ofEpochSecond(Long.parseLong(parts.group(1)));
    Duration age = Duration.between(signedAt, clock.instant()).abs();
    byte[] given = HexFormat.of().parseHex(parts.group(2));
    byte[] expected = hmac(parts.group(1), body);
    return MessageDigest.isEqual(expected, given) && age.compareTo(TOLERANCE) <= 0;
  }

  byte[] hmac(String seconds, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      mac.update((seconds + ".").getBytes(US_ASCII));
      return mac.doFinal(body);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
  // endregion
}
