package outbox.cli;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import outbox.admin.data.EventQuery;
import outbox.admin.data.EventView;
import outbox.admin.data.InboxQuery;
import outbox.admin.data.InboxView;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.data.Page;
import outbox.admin.data.PageRequest;
import outbox.admin.metrics.Count;
import outbox.model.DeadCount;
import outbox.model.DeadLetterFilter;
import outbox.spi.EndedEventStore;

/**
 * Messages that ended in one way, longer ago than an age.
 *
 * @param died dead ones, else completed ones
 */
record OldMessages(boolean died, Duration age) {
  private static final int COUNTED_PAGES = 10;

  String name() {
    return died ? "dead" : "done";
  }

  /** Dead ones to the end of what the store counts; of the completed ones only the first pages. */
  Count count(OperatedDatabase database, QueueOptions queue) {
    Instant end = Instant.now().minus(age);
    if (died) {
      DeadCount found = queue.deadLetters(database).count(DeadLetterFilter.all().diedBefore(end));
      return new Count(found.number(), !found.exact());
    }
    PageRequest paging = PageRequest.FIRST.pageSize(PageRequest.MAX_SIZE);
    long number = 0;
    for (int pages = 0; pages < COUNTED_PAGES; pages++) {
      Page<?> page = page(database, queue.inbox, end, paging);
      number += page.items().size();
      if (page.next() == null) {
        return Count.exactly(number);
      }
      paging = paging.cursor(page.next());
    }
    return new Count(number, true);
  }

  private static Page<?> page(
      OperatedDatabase database, boolean inbox, Instant end, PageRequest paging) {
    return inbox
        ? database.inbox().list(InboxQuery.of(InboxView.DONE).to(end).paging(paging))
        : database.events().list(EventQuery.of(EventView.PROCESSED).to(end).paging(paging));
  }

  /** Removes some; returns how many. */
  int purge(EndedEventStore store, Connection connection, int limit) {
    return died ? store.purgeDead(connection, age, limit) : store.purgeDone(connection, age, limit);
  }

  String describe(Count count) {
    return Shown.count(count) + " " + name() + " for more than " + Shown.age(age);
  }
}
