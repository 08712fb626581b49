package outbox.cli;

import java.util.regex.Pattern;

/** Takes passwords out of what is shown: a driver's error may quote the URL that it was given. */
final class Secrets {
  private static final String HIDDEN = "***";

  /** A parameter of a URL whose name says that it is secret, up to the next separator. */
  private static final Pattern PARAMETER =
      Pattern.compile(
          "(?i)([\\w.-]*(?:password|passwd|pwd|secret|token)\\w*\\s*=\\s*)[^&;,\\s\"')]+");

  /** What stands between a user's name and the host. */
  private static final Pattern USER_INFO = Pattern.compile("(//[^/@:\\s]*:)[^/@\\s]+@");

  private Secrets() {}

  static String hidden(String text) {
    String parameters = PARAMETER.matcher(text).replaceAll("$1" + HIDDEN);
    return USER_INFO.matcher(parameters).replaceAll("$1" + HIDDEN + "@");
  }
}
