package outbox.site;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** The anchors of one page's headings, as GitHub derives them. */
final class Anchors {
  private final Set<String> taken = new HashSet<>();

  /** Returns the anchor of the next heading; a repeated one gets a number. */
  String next(String heading) {
    String anchor = of(heading);
    String unique = anchor;
    for (int repetition = 1; !taken.add(unique); repetition++) {
      unique = anchor + "-" + repetition;
    }
    return unique;
  }

  private static String of(String heading) {
    return heading
        .strip()
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{M}\\p{N}\\p{Pc} -]", "")
        .replace(' ', '-');
  }
}
