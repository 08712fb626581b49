package outbox.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Takes passwords out of what is shown: a driver's error may quote the URL that it was given. */
final class Secrets {
  private static final String HIDDEN = "***";

  /** What is shorter is no secret, and stands in many a word. */
  private static final int SHORTEST = 4;

  /** A parameter of a URL whose name says that it is secret, up to the next separator. */
  private static final Pattern PARAMETER =
      Pattern.compile("(?i)([\\w.-]*(?:password|passwd|pwd|secret|token)\\w*\\s*=\\s*)([^&;\\s]+)");

  /**
   * What stands between a user's name and the host; it may hold any character but a blank. A port
   * with parameters behind it, whatever these hold, is none.
   */
  private static final Pattern USER_INFO =
      Pattern.compile("(//[^/@:\\s]*:)(?!\\d{1,5}(?:[,/][^?;@\\s]*)?[?;])(\\S+)@");

  /** Those that this process was given. */
  private static final Set<String> KNOWN = ConcurrentHashMap.newKeySet();

  private Secrets() {}

  /** The password, and those that the URL holds, are not shown from now on, wherever they stand. */
  static void remember(String url, @Nullable String password) {
    KNOWN.addAll(in(url));
    if (password != null) {
      KNOWN.add(password);
    }
  }

  /** The text without the secrets that are remembered, and without what looks like one. */
  static String hidden(String text) {
    return hidden(text, KNOWN);
  }

  /** The secrets that a URL holds. */
  static List<String> in(String url) {
    return Stream.of(PARAMETER, USER_INFO)
        .flatMap(pattern -> pattern.matcher(url).results())
        .map((MatchResult match) -> match.group(2))
        .toList();
  }

  /** The text without these secrets, and without what looks like one. */
  static String hidden(String text, Collection<String> known) {
    List<String> longestFirst = new ArrayList<>(known);
    longestFirst.removeIf(secret -> secret.length() < SHORTEST);
    longestFirst.sort(Comparator.comparing(String::length).reversed());
    String shown = text;
    for (String secret : longestFirst) {
      shown = shown.replace(secret, HIDDEN);
    }
    shown = USER_INFO.matcher(shown).replaceAll("$1" + HIDDEN + "@");
    return PARAMETER.matcher(shown).replaceAll("$1" + HIDDEN);
  }
}
