package outbox.webhook;

import java.util.HexFormat;

/** See {@link WebhookSignature#hmacSha256}. */
record BodySignature(String header, String prefix, Hmac hmac) implements WebhookSignature {

  @Override
  public void check(WebhookRequest request) throws BadSignatureException {
    String value = request.header(header);
    if (value == null || !value.startsWith(prefix)) {
      throw new BadSignatureException("header " + header + " is missing or has no " + prefix);
    }
    if (!hmac.matches(digits(value.substring(prefix.length())), request.body())) {
      throw new BadSignatureException("the signature in " + header + " is of no known secret");
    }
  }

  private byte[] digits(String text) throws BadSignatureException {
    try {
      return HexFormat.of().parseHex(text);
    } catch (IllegalArgumentException e) {
      throw new BadSignatureException("the signature in " + header + " is not hexadecimal");
    }
  }
}
