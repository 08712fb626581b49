package outbox.jdbc.internal.dialect;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The numbers of a server's version, such as 10.6.12, whatever text stands around them. */
record ServerVersion(List<Integer> numbers) {
  private static final Pattern NUMBERS = Pattern.compile("\\d+(\\.\\d+)*");

  /** MariaDB puts this in front for clients that know only MySQL. */
  private static final String MARIADB_PREFIX = "5.5.5-";

  /** Without numbers it is a version that nothing is known of, and not older than any other. */
  static ServerVersion of(String text) {
    String version =
        text.startsWith(MARIADB_PREFIX) ? text.substring(MARIADB_PREFIX.length()) : text;
    Matcher found = NUMBERS.matcher(version);
    return new ServerVersion(
        found.find()
            ? Stream.of(found.group().split("\\.")).map(Integer::valueOf).toList()
            : List.of());
  }

  boolean isOlderThan(ServerVersion other) {
    for (int i = 0; i < Math.min(numbers.size(), other.numbers.size()); i++) {
      int difference = numbers.get(i) - other.numbers.get(i);
      if (difference != 0) {
        return difference < 0;
      }
    }
    return false;
  }
}
