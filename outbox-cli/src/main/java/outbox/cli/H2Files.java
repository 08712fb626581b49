package outbox.cli;

import java.util.regex.Pattern;

/** Keeps H2 from creating a database where a misspelt URL points. */
final class H2Files {
  /** What H2 answers if the file is not there. */
  static final String NOT_FOUND = "90146";

  private static final Pattern FILE =
      Pattern.compile("(?i)jdbc:h2:(?!mem:|tcp:|ssl:|zip:|nioMem|memFS).*");
  private static final Pattern DECIDED = Pattern.compile("(?i).*;\\s*IFEXISTS\\s*=.*");

  private H2Files() {}

  /** The URL for those who only look; one that says itself what is wanted is left as it is. */
  static String existing(String url) {
    return FILE.matcher(url).matches() && !DECIDED.matcher(url).matches()
        ? url + ";IFEXISTS=TRUE"
        : url;
  }
}
