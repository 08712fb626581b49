package outbox.admin.data;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** One of the names that an enum has, in any case. */
final class Choice {
  private Choice() {}

  static <E extends Enum<E>> E of(E[] values, String field, String name) {
    return Arrays.stream(values)
        .filter(value -> value.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () ->
                new InvalidQueryException(
                    field, field + " (" + name + ") must be one of " + names(values)));
  }

  private static <E extends Enum<E>> String names(E[] values) {
    return Arrays.stream(values)
        .map(value -> value.name().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(", "));
  }
}
