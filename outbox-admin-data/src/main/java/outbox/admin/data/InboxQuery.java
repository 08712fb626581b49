package outbox.admin.data;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which messages of an inbox to list: those that meet every condition, where null is none.
 * Immutable.
 *
 * @param from that were completed (of DONE), died (of DEAD) or were first seen (of the others) at
 *     this instant or later
 * @param to the same before this instant
 * @param error whose error has this text in it, case by case
 */
public record InboxQuery(
    InboxView view,
    @Nullable String source,
    @Nullable String topic,
    @Nullable Instant from,
    @Nullable Instant to,
    @Nullable String error,
    PageRequest paging) {

  /** Every message of the view, from the first page on. */
  public static InboxQuery of(InboxView view) {
    return new InboxQuery(
        requireNonNull(view, "view"), null, null, null, null, null, PageRequest.FIRST);
  }

  /** Returns this query for one sender; null for all. */
  public InboxQuery source(@Nullable String value) {
    return new InboxQuery(view, value, topic, from, to, error, paging);
  }

  /** Returns this query for one topic; null for all. */
  public InboxQuery topic(@Nullable String value) {
    return new InboxQuery(view, source, value, from, to, error, paging);
  }

  /** Returns this query for messages first seen at this instant or later; null for all. */
  public InboxQuery from(@Nullable Instant value) {
    return new InboxQuery(view, source, topic, value, to, error, paging);
  }

  /** Returns this query for messages first seen before this instant; null for all. */
  public InboxQuery to(@Nullable Instant value) {
    return new InboxQuery(view, source, topic, from, value, error, paging);
  }

  /** Returns this query for errors that contain a text; null for all. */
  public InboxQuery error(@Nullable String value) {
    return new InboxQuery(view, source, topic, from, to, value, paging);
  }

  /** Returns this query for one page. */
  public InboxQuery paging(PageRequest value) {
    return new InboxQuery(view, source, topic, from, to, error, value);
  }
}
