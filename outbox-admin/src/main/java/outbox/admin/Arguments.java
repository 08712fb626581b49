package outbox.admin;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.StorableText;

/**
 * The named values of a request, from its address or its body, each checked when it is asked for.
 * An empty text is no value. An unknown name is refused rather than ignored: a filter with a typing
 * error in it would otherwise mean everything.
 */
final class Arguments {
  static final int MAX_TEXT = 255;

  private final String where;
  private final Map<String, ? extends @Nullable Object> values;

  /**
   * @param where what an error calls the place: parameter or field
   */
  Arguments(String where, Map<String, ? extends @Nullable Object> values) {
    this.where = where;
    this.values = values;
  }

  Arguments only(Set<String> allowed) {
    for (String name : values.keySet()) {
      if (!allowed.contains(name)) {
        throw Problem.invalid(
            shortened(name),
            "There is no "
                + where
                + " "
                + shortened(name)
                + " here; known are: "
                + listed(allowed)
                + ".");
      }
    }
    return this;
  }

  /** Refuses a name without a value: it is unclear whether it was meant to limit something. */
  Arguments filled() {
    for (String name : values.keySet()) {
      if (!has(name)) {
        throw invalid(shortened(name), "has no value; give it one or leave it out");
      }
    }
    return this;
  }

  boolean isEmpty() {
    return values.isEmpty();
  }

  boolean has(String name) {
    Object value = values.get(name);
    return value != null && !value.equals("");
  }

  @Nullable String text(String name) {
    return text(name, MAX_TEXT);
  }

  @Nullable String text(String name, int maxLength) {
    if (!has(name)) {
      return null;
    }
    if (!(values.get(name) instanceof String text)) {
      throw invalid(name, "must be a text");
    }
    return storable(name, text, maxLength);
  }

  String requiredText(String name, int maxLength) {
    String text = text(name, maxLength);
    if (text == null || text.isBlank()) {
      throw invalid(name, "is missing");
    }
    return text;
  }

  @Nullable Instant instant(String name) {
    String text = text(name, 40);
    if (text == null) {
      return null;
    }
    try {
      Instant at = OffsetDateTime.parse(text).toInstant();
      if (at.isBefore(Instant.EPOCH) || at.isAfter(Instant.parse("9999-01-01T00:00:00Z"))) {
        throw invalid(name, "must lie between the years 1970 and 9999");
      }
      return at;
    } catch (DateTimeException e) {
      throw invalid(name, "must be an instant such as 2030-01-31T12:00:00Z");
    }
  }

  long number(String name, long min, long max, long fallback) {
    if (!has(name)) {
      return fallback;
    }
    try {
      Object given = values.get(name);
      long value =
          given instanceof BigDecimal decimal
              ? decimal.longValueExact()
              : Long.parseLong(String.valueOf(given));
      if (value >= min && value <= max) {
        return value;
      }
    } catch (ArithmeticException | NumberFormatException e) {
      // Told below, together with numbers out of range.
    }
    throw invalid(name, "must be a whole number from " + min + " to " + max);
  }

  Duration requiredMillis(String name, Duration max) {
    if (!has(name)) {
      throw invalid(name, "is missing");
    }
    return Duration.ofMillis(number(name, 0, max.toMillis(), 0));
  }

  boolean flag(String name) {
    if (!has(name)) {
      return false;
    }
    String text = String.valueOf(values.get(name));
    if (!text.equals("true") && !text.equals("false")) {
      throw invalid(name, "must be true or false");
    }
    return text.equals("true");
  }

  /** The constant of that name in any case. */
  <E extends Enum<E>> E oneOf(String name, Class<E> type, E fallback) {
    String text = text(name, 40);
    if (text == null) {
      return fallback;
    }
    Set<String> names = new LinkedHashSet<>();
    for (E constant : type.getEnumConstants()) {
      String itsName = constant.name().toLowerCase(Locale.ROOT);
      if (itsName.equalsIgnoreCase(text)) {
        return constant;
      }
      names.add(itsName);
    }
    throw invalid(name, "must be one of: " + listed(names));
  }

  /** Different texts, at most so many. */
  Set<String> texts(String name, int maxNumber, int maxLength) {
    if (!(values.get(name) instanceof List<?> list) || list.isEmpty()) {
      throw invalid(name, "must be a list of 1 to " + maxNumber + " texts");
    }
    Set<String> texts = new LinkedHashSet<>();
    for (Object item : list) {
      if (!(item instanceof String text) || text.isEmpty()) {
        throw invalid(name, "must be a list of texts");
      }
      texts.add(storable(name, text, maxLength));
    }
    if (texts.size() > maxNumber) {
      throw invalid(name, "must not have more than " + maxNumber + " entries");
    }
    return texts;
  }

  Arguments object(String name) {
    if (!(values.get(name) instanceof Map<?, ?> map)) {
      throw invalid(name, "must be an object");
    }
    Map<String, @Nullable Object> inner = new LinkedHashMap<>();
    map.forEach((key, value) -> inner.put(String.valueOf(key), value));
    return new Arguments("field", inner);
  }

  private String storable(String name, String text, int maxLength) {
    try {
      return StorableText.atMost(name, text, maxLength);
    } catch (IllegalArgumentException e) {
      throw Problem.invalid(name, "The " + where + " " + e.getMessage() + ".");
    }
  }

  private Problem invalid(String name, String rule) {
    return Problem.invalid(name, "The " + where + " " + name + " " + rule + ".");
  }

  private static String shortened(String name) {
    return name.length() <= 40 ? name : name.substring(0, 40) + "…";
  }

  private static String listed(Set<String> names) {
    return names.isEmpty() ? "none" : String.join(", ", names);
  }
}
