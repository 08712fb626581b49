package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;

/** Who sent a known token in the header {@code Authorization: Bearer}. */
record BearerTokens(List<Token> tokens) implements Access {
  private static final String SCHEME = "Bearer ";

  @Override
  public Optional<Caller> identify(HttpServletRequest request) {
    String header = request.getHeader("Authorization");
    return header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? Optional.empty()
        : find(header.substring(SCHEME.length()).strip()).map(Token::owner);
  }

  /** Compares with every token, whichever it is. */
  Optional<Token> find(String secret) {
    byte[] given = Token.digest(secret);
    Token found = null;
    for (Token token : tokens) {
      if (token.matches(given)) {
        found = token;
      }
    }
    return Optional.ofNullable(found);
  }
}
