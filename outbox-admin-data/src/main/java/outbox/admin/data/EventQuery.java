package outbox.admin.data;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which events to list: those that meet every condition, where null is none. Immutable.
 *
 * @param from that were completed (of PROCESSED), died (of DEAD) or were stored (of the others) at
 *     this instant or later
 * @param to the same before this instant
 * @param error whose error has this text in it, case by case
 * @param owner that are held by this node, process or owner token; of LEASED only
 */
public record EventQuery(
    EventView view,
    @Nullable String topic,
    @Nullable String tenant,
    @Nullable String correlation,
    @Nullable Instant from,
    @Nullable Instant to,
    @Nullable String error,
    @Nullable String owner,
    PageRequest paging) {

  /**
   * Checks that owners are asked for where there are some.
   *
   * @throws InvalidQueryException if not
   */
  public EventQuery {
    if (owner != null && view != EventView.LEASED) {
      throw new InvalidQueryException(
          "owner", "owner needs the status leased: other events have no owner");
    }
  }

  /** Every event of the view, from the first page on. */
  public static EventQuery of(EventView view) {
    return new EventQuery(
        requireNonNull(view, "view"), null, null, null, null, null, null, null, PageRequest.FIRST);
  }

  /** Returns this query for one topic; null for all. */
  public EventQuery topic(@Nullable String value) {
    return new EventQuery(view, value, tenant, correlation, from, to, error, owner, paging);
  }

  /** Returns this query for one tenant; null for all. */
  public EventQuery tenant(@Nullable String value) {
    return new EventQuery(view, topic, value, correlation, from, to, error, owner, paging);
  }

  /** Returns this query for one correlation id; null for all. */
  public EventQuery correlation(@Nullable String value) {
    return new EventQuery(view, topic, tenant, value, from, to, error, owner, paging);
  }

  /** Returns this query for events stored at this instant or later; null for all. */
  public EventQuery from(@Nullable Instant value) {
    return new EventQuery(view, topic, tenant, correlation, value, to, error, owner, paging);
  }

  /** Returns this query for events stored before this instant; null for all. */
  public EventQuery to(@Nullable Instant value) {
    return new EventQuery(view, topic, tenant, correlation, from, value, error, owner, paging);
  }

  /** Returns this query for errors that contain a text; null for all. */
  public EventQuery error(@Nullable String value) {
    return new EventQuery(view, topic, tenant, correlation, from, to, value, owner, paging);
  }

  /** Returns this query for one owner of leases; null for all. */
  public EventQuery owner(@Nullable String value) {
    return new EventQuery(view, topic, tenant, correlation, from, to, error, value, paging);
  }

  /** Returns this query for one page. */
  public EventQuery paging(PageRequest value) {
    return new EventQuery(view, topic, tenant, correlation, from, to, error, owner, value);
  }
}
