package outbox.model;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.util.JsonCodec;

/**
 * What became of the listeners of an event in the deliveries that did not complete it, by their
 * names. A listener that has not run, or that asked for a later time, is absent. Immutable.
 *
 * @param byName for each name one of {@link #DONE}, {@link #FAILED} and {@link #DEAD}; the last may
 *     be followed by a colon and its error
 */
public record ListenerStates(Map<String, String> byName) {
  /** It returned and does not run again: {@value}. */
  public static final String DONE = "done";

  /** It failed, and runs again if the event does: {@value}. */
  public static final String FAILED = "failed";

  /** It failed for good and does not run again while the event lives for others: {@value}. */
  public static final String DEAD = "dead";

  /** Nothing is known of any listener. */
  public static final ListenerStates NONE = new ListenerStates(Map.of());

  public ListenerStates {
    byName = Collections.unmodifiableMap(new LinkedHashMap<>(byName));
  }

  /**
   * Reads what {@link #text} wrote. Null and anything unreadable count as {@link #NONE}: every
   * listener then runs again.
   */
  public static ListenerStates parse(@Nullable String text) {
    if (text == null) {
      return NONE;
    }
    try {
      return new ListenerStates(JsonCodec.parseObject(text));
    } catch (IllegalArgumentException e) {
      return NONE;
    }
  }

  /** The states as a store keeps them; null if there are none. */
  public @Nullable String text() {
    return byName.isEmpty() ? null : JsonCodec.toJson(byName);
  }

  /** The text of a dead event that is replayed for the listeners that are not done. */
  public static @Nullable String replayed(@Nullable String text) {
    return text == null ? null : text.replace(":\"" + DEAD, ":\"" + FAILED);
  }

  /** The names of the listeners that do not run again because they returned. */
  public List<String> done() {
    return names(state -> state.equals(DONE));
  }

  /** The names of the listeners whose last run failed, for good or not. */
  public List<String> failed() {
    return names(state -> !state.equals(DONE));
  }

  private List<String> names(Predicate<String> which) {
    return byName.entrySet().stream()
        .filter(entry -> which.test(entry.getValue()))
        .map(Map.Entry::getKey)
        .toList();
  }
}
