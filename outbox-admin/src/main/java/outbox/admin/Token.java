package outbox.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A secret and whose it is. Only its digest is kept, so that nothing can print it. */
final class Token {
  static final int MIN_LENGTH = 16;

  private static final String HMAC = "HmacSHA256";

  private final Caller owner;
  private final byte[] digest;

  Token(Caller owner, String secret) {
    if (requireNonNull(secret, "token").length() < MIN_LENGTH) {
      throw new IllegalArgumentException(
          "the token of "
              + owner.name()
              + " ("
              + secret.length()
              + " characters) must have at least "
              + MIN_LENGTH
              + "; make one with: openssl rand -hex 24");
    }
    if (secret.contains("${")) {
      throw new IllegalArgumentException(
          "the token of "
              + owner.name()
              + " contains ${: an unset variable is no secret; set it, or"
              + " make another token");
    }
    this.owner = owner;
    this.digest = digest(secret);
  }

  static byte[] digest(String secret) {
    return Sha256.of(secret.getBytes(UTF_8));
  }

  Caller owner() {
    return owner;
  }

  boolean sameSecret(Token other) {
    return matches(other.digest);
  }

  /** Takes as long for a near miss as for a far one. */
  boolean matches(byte[] digestOfGiven) {
    return MessageDigest.isEqual(digest, digestOfGiven);
  }

  byte[] sign(String text) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(digest, HMAC));
      return mac.doFinal(text.getBytes(UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
