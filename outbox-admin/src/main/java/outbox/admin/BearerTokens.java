package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/** Who sent a known token in the header {@code Authorization: Bearer}. */
final class BearerTokens implements Access {
  private static final String SCHEME = "Bearer ";

  private final List<Token> tokens;
  private final WrongTokens wrong;

  BearerTokens(List<Token> tokens, Clock clock) {
    this.tokens = List.copyOf(tokens);
    this.wrong = new WrongTokens(clock);
  }

  @Override
  public Optional<Caller> identify(HttpServletRequest request) {
    String header = request.getHeader("Authorization");
    return header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? Optional.empty()
        : find(header.substring(SCHEME.length()).strip(), request.getRemoteAddr())
            .map(Token::owner);
  }

  /**
   * Compares with every token, whichever it is.
   *
   * @param from the address of the sender
   * @throws Problem if too many wrong ones were sent from there
   */
  Optional<Token> find(String secret, String from) {
    byte[] given = Token.digest(secret);
    Token found = null;
    for (Token token : tokens) {
      if (token.matches(given)) {
        found = token;
      }
    }
    wrong.judge(from, found == null ? null : found.owner().name());
    return Optional.ofNullable(found);
  }
}
