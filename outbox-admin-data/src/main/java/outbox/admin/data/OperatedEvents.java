package outbox.admin.data;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import outbox.DeadLetters;

/**
 * The events of one outbox, to look at and to act on. Thread-safe. Whatever a statement cannot do
 * within the time limit fails by {@link TooSlowException}.
 */
public interface OperatedEvents {

  /**
   * A page of events.
   *
   * @throws InvalidQueryException if the cursor is none of this list's
   */
  Page<EventRow> list(EventQuery query);

  /** One event, with its payload only if that is asked for; empty if there is none of this id. */
  Optional<EventDetail> find(String id, boolean payload);

  /** Who holds leases, those with most first. */
  List<NodeRow> nodes();

  /** To count, replay and discard what is dead: by ids, or by a filter. */
  DeadLetters deadLetters();

  /**
   * Lets pending events not be taken before the delay has passed, whatever was asked for before.
   * One that is being worked on stays with its holder; if that gives it back, the delay holds.
   *
   * @return how many were pending
   */
  int defer(Collection<String> ids, Duration delay);

  /**
   * Makes pending events due now: whatever they wait for, be it their time, their next try, or a
   * holder that does not come back. A holder that still works on one loses it, and the event may be
   * handled twice.
   *
   * @return how many were pending
   */
  int release(Collection<String> ids);
}
