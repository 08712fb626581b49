package outbox.admin.data;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.query.BoundedQueries.Session;
import outbox.jdbc.internal.query.Row;
import outbox.jdbc.internal.sql.Parameters;

/**
 * Reads one page: the orders of a list one after the other, from a place on, a bounded number of
 * rows whatever the filter is.
 */
final class Listing<T> {
  /** How many rows of a table a page looks at: {@value}. */
  static final int LOOK = 20_000;

  /** How many rows that a filter lets pass a page number may skip: {@value}. */
  static final int MAX_FILTERED_SKIP = 2_000;

  private final Session session;
  private final List<Order> orders;
  private final Consumer<Parameters> filter;
  private final boolean filtered;
  private final PageRequest paging;
  private final Row.Reader<T> reader;

  private final List<Found<T>> found = new ArrayList<>();
  private @Nullable Place stoppedAt;
  private Page.@Nullable Window window;

  Listing(
      Session session,
      List<Order> orders,
      Consumer<Parameters> filter,
      boolean filtered,
      PageRequest paging,
      Row.Reader<T> reader) {
    this.session = session;
    this.orders = orders;
    this.filter = filter;
    this.filtered = filtered;
    this.paging = paging;
    this.reader = reader;
  }

  Page<T> page() {
    Cursor cursor = Cursor.of(paging.cursor(), orders.size());
    int skip = paging.skipped();
    Place place = cursor.place();
    boolean searching = orders.stream().anyMatch(this::searches);
    if (searching && skip > MAX_FILTERED_SKIP) {
      throw new InvalidQueryException(
          "page",
          "page ("
              + paging.page()
              + ") of a filtered list skips more than "
              + MAX_FILTERED_SKIP
              + " rows; continue by the cursor of the page before");
    }
    if (!searching && skip > 0) {
      place = jump(skip);
      cursor = new Cursor(List.of(jump(skip - paging.pageSize()), place));
      skip = 0;
    }
    read(place, skip + paging.pageSize() + 1);
    return page(cursor, skip);
  }

  private Page<T> page(Cursor cursor, int skip) {
    int end = skip + paging.pageSize();
    boolean full = found.size() > end;
    Place last = full ? found.get(end - 1).place : stoppedAt;
    Cursor previous = cursor.previous();
    return new Page<>(
        found.subList(Math.min(skip, found.size()), Math.min(end, found.size())).stream()
            .map(Found::item)
            .toList(),
        paging.page(),
        paging.pageSize(),
        last == null ? null : cursor.next(last).toString(),
        previous == null ? null : previous.toString(),
        full ? null : window);
  }

  private boolean searches(Order order) {
    return filtered || order.sparse();
  }

  private void read(Place start, int wanted) {
    Place place = start;
    while (found.size() < wanted && stoppedAt == null && place.phase() < orders.size()) {
      Order order = orders.get(place.phase());
      Place from = order.fromNow() && place.isStart() ? now(place.phase()) : place;
      int limit = wanted - found.size();
      int look = searches(order) ? LOOK : limit;
      List<Found<T>> rows = rows(order, from, look, limit);
      found.addAll(rows);
      if (rows.size() < limit && searches(order)) {
        noteEnd(order, from);
      }
      place = Place.startOf(place.phase() + 1);
    }
  }

  private Place now(int phase) {
    Instant now = session.query("clock", values -> {}, row -> row.requiredInstant("now")).get(0);
    return new Place(phase, now, "");
  }

  private List<Found<T>> rows(Order order, Place from, int look, int limit) {
    return session.query(
        order.statement(),
        values -> {
          bind(order, from, values);
          values.number("look", look).number("limit", limit).number("snippet", EventRow.SNIPPET);
        },
        row -> new Found<>(reader.read(row), placeOf(from.phase(), row)));
  }

  /** Remembers how far a search came if the order continues behind that. */
  private void noteEnd(Order order, Place from) {
    Place end = place(order.placeStatement(), order, from, LOOK - 1);
    Place first = end == null ? null : place(order.placeStatement(), order, from, 0);
    if (end != null && first != null && end.at() != null && first.at() != null) {
      stoppedAt = end;
      window =
          end.at().isBefore(first.at())
              ? new Page.Window(end.at(), first.at())
              : new Page.Window(first.at(), end.at());
    }
  }

  /** The place behind so many rows of a list that is not searched. */
  private Place jump(int rows) {
    if (rows == 0) {
      return Place.START;
    }
    int left = rows;
    for (int phase = 0; phase < orders.size(); phase++) {
      Order order = orders.get(phase);
      Place start = Place.startOf(phase);
      Place found = place(order.jumpStatement(), order, start, left - 1);
      if (found != null) {
        return found;
      }
      left -= length(order, start, left);
    }
    return Place.startOf(orders.size());
  }

  /** How many rows an order has that has fewer than this: by halving, each step a short look. */
  private int length(Order order, Place start, int tooMany) {
    int low = 0;
    int high = tooMany - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (place(order.jumpStatement(), order, start, middle) == null) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private @Nullable Place place(String statement, Order order, Place from, int skip) {
    return session
        .query(
            statement,
            values -> {
              bind(order, from, values);
              values.number("skip", skip);
            },
            row -> placeOf(from.phase(), row))
        .stream()
        .findFirst()
        .orElse(null);
  }

  private void bind(Order order, Place from, Parameters values) {
    order.values().accept(values);
    filter.accept(values);
    values.instant("after_at", from.at()).text("after_id", from.isStart() ? null : from.id());
  }

  private static Place placeOf(int phase, Row row) throws SQLException {
    return new Place(phase, row.requiredInstant("place_at"), row.required("event_id"));
  }

  private record Found<T>(T item, Place place) {}
}
