package outbox.webhook;

import static java.util.Objects.requireNonNull;

import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

/** Decides whether a request comes from who it says. Thread-safe. */
@FunctionalInterface
public interface WebhookSignature {
  /** How old a signed request may be by default. */
  Duration DEFAULT_TOLERANCE = Duration.ofMinutes(5);

  /**
   * Checks a request.
   *
   * @throws BadSignatureException with the reason, which is logged and not sent to the sender
   */
  void check(WebhookRequest request) throws BadSignatureException;

  /**
   * As <a href="https://www.standardwebhooks.com/">Standard Webhooks</a> has it: an HMAC over id,
   * time and body, so that neither an old request nor another id is accepted.
   *
   * @param secrets in Base64, with or without {@code whsec_}; several while one is replaced
   */
  static WebhookSignature standard(String... secrets) {
    return standard(DEFAULT_TOLERANCE, Clock.systemUTC(), secrets);
  }

  /** As {@link #standard(String...)}, with another tolerance and clock. */
  static WebhookSignature standard(Duration tolerance, Clock clock, String... secrets) {
    List<byte[]> keys =
        List.of(secrets).stream()
            .map(secret -> secret.startsWith("whsec_") ? secret.substring(6) : secret)
            .map(Base64.getDecoder()::decode)
            .toList();
    return new StandardSignature(
        new Hmac(keys), requireNonNull(tolerance, "tolerance"), requireNonNull(clock, "clock"));
  }

  /**
   * An HMAC-SHA256 over the body alone, in hexadecimal, as GitHub and many others send it. It
   * cannot tell an old request from a new one: the inbox recognises a repeated id.
   *
   * @param header such as {@code X-Hub-Signature-256}
   * @param prefix what stands before the digits, such as {@code sha256=}; may be empty
   * @param secrets as text; several while one is replaced
   */
  static WebhookSignature hmacSha256(String header, String prefix, String... secrets) {
    List<byte[]> keys = List.of(secrets).stream().map(Hmac::bytes).toList();
    return new BodySignature(
        requireNonNull(header, "header"), requireNonNull(prefix, "prefix"), new Hmac(keys));
  }
}
