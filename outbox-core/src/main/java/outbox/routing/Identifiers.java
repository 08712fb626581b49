package outbox.routing;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Refuses two databases under one name. */
final class Identifiers {
  private Identifiers() {}

  static <T> List<T> distinct(Collection<T> all, Function<T, String> identifier) {
    Set<String> seen = new HashSet<>();
    for (T one : all) {
      if (!seen.add(identifier.apply(one))) {
        throw new IllegalArgumentException(
            "two databases have the identifier "
                + identifier.apply(one)
                + "; give each its own: it names the database in the router and in logs");
      }
    }
    return List.copyOf(all);
  }
}
