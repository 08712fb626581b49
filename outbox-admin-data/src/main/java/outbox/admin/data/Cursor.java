package outbox.admin.data;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.StorableText;

/**
 * Where a page begins, and where the pages before it began: a list is read in one direction, so the
 * way back is remembered.
 *
 * @param trail the beginnings of the last pages and of this one, which is never empty
 */
record Cursor(List<Place> trail) {
  private static final int MAX_TRAIL = 8;
  private static final int MAX_ID = 36;
  private static final Instant TOO_LATE = Instant.parse("+10000-01-01T00:00:00Z");

  static final Cursor FIRST = new Cursor(List.of(Place.START));

  /**
   * Reads what {@link #toString} wrote.
   *
   * @throws InvalidQueryException if it is anything else, or of a list with fewer phases
   */
  static Cursor of(@Nullable String text, int phases) {
    if (text == null) {
      return FIRST;
    }
    try {
      if (text.length() > PageRequest.MAX_CURSOR) {
        throw new IllegalArgumentException("too long");
      }
      String decoded = new String(Base64.getUrlDecoder().decode(text), UTF_8);
      List<Place> trail =
          Arrays.stream(decoded.split(",", -1)).map(part -> place(part, phases)).toList();
      return new Cursor(trail);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new InvalidQueryException(
          "cursor", "cursor is none of this list; leave it out to begin with the first page");
    }
  }

  private static Place place(String text, int phases) {
    String[] parts = text.split(";", -1);
    int phase = Integer.parseInt(parts[0]);
    if (parts.length != 3 || phase < 0 || phase >= phases) {
      throw new IllegalArgumentException("no place");
    }
    String id = StorableText.atMost("id", URLDecoder.decode(parts[2], UTF_8), MAX_ID);
    return new Place(phase, parts[1].isEmpty() ? null : instant(parts[1]), id);
  }

  /** No row has another time, and not every database could compare one. */
  private static Instant instant(String text) {
    Instant at = Instant.parse(text);
    if (at.isBefore(Instant.EPOCH) || !at.isBefore(TOO_LATE)) {
      throw new IllegalArgumentException("no time");
    }
    return at;
  }

  Place place() {
    return trail.get(trail.size() - 1);
  }

  Cursor next(Place place) {
    List<Place> longer = new ArrayList<>(trail);
    longer.add(place);
    return new Cursor(longer.subList(Math.max(0, longer.size() - MAX_TRAIL), longer.size()));
  }

  /** Null if the way back is not known any further. */
  @Nullable Cursor previous() {
    return trail.size() == 1 ? null : new Cursor(trail.subList(0, trail.size() - 1));
  }

  @Override
  public String toString() {
    String text =
        trail.stream()
            .map(
                place ->
                    place.phase()
                        + ";"
                        + (place.at() == null ? "" : place.at())
                        + ";"
                        + URLEncoder.encode(place.id(), UTF_8))
            .collect(Collectors.joining(","));
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
  }
}
