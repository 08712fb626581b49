package outbox.webhook;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** HMAC-SHA256 with one of several secrets, compared in constant time. */
final class Hmac {
  private static final String ALGORITHM = "HmacSHA256";

  private final List<SecretKeySpec> keys;

  Hmac(List<byte[]> secrets) {
    if (secrets.isEmpty() || secrets.stream().anyMatch(secret -> secret.length == 0)) {
      throw new IllegalArgumentException("secrets must have at least one, and none that is empty");
    }
    this.keys = secrets.stream().map(secret -> new SecretKeySpec(secret, ALGORITHM)).toList();
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Whether one of the secrets gives this signature over the parts, one after the other. */
  boolean matches(byte[] signature, byte[]... parts) {
    boolean matches = false;
    for (SecretKeySpec key : keys) {
      matches |= MessageDigest.isEqual(sign(key, parts), signature);
    }
    return matches;
  }

  private static byte[] sign(SecretKeySpec key, byte[]... parts) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      for (byte[] part : parts) {
        mac.update(part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }
}
