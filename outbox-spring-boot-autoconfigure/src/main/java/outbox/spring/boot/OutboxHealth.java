package outbox.spring.boot;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import outbox.spring.boot.OutageWatch.Poll;

/**
 * The health of the application's outboxes and inbox: down while a database does not answer the
 * engine, out of service before the start and after the shutdown. The details have each queue with
 * its workers, its backlog where there are gauges, and the last successful poll. Thread-safe.
 */
public final class OutboxHealth {
  private final OutboxLifecycle lifecycle;
  private final OutageWatch watch;
  private final int workers;
  private final QueueBacklog backlog;

  OutboxHealth(OutboxLifecycle lifecycle, OutageWatch watch, int workers, QueueBacklog backlog) {
    this.lifecycle = lifecycle;
    this.watch = watch;
    this.workers = workers;
    this.backlog = backlog;
  }

  /** Returns the health of this moment. */
  public Report report() {
    Map<String, Object> details = new LinkedHashMap<>();
    Set<String> down = watch.down();
    if (!down.isEmpty()) {
      details.put("databaseDownFor", down);
    }
    watch.polls().forEach((queue, poll) -> details.put(queue, describe(queue, poll)));
    String running = lifecycle.isRunning() ? "UP" : "OUT_OF_SERVICE";
    return new Report(down.isEmpty() ? running : "DOWN", details);
  }

  private Map<String, Object> describe(String queue, Poll poll) {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("workers", workers);
    facts.put("waitingInMemory", poll.waiting());
    OptionalLong due = backlog.of(queue);
    if (due.isPresent()) {
      facts.put("backlog", due.getAsLong());
    }
    if (poll.at() != null) {
      facts.put("lastPoll", poll.at().toString());
    }
    return facts;
  }

  /**
   * The health of one moment.
   *
   * @param status the code of one of Spring Boot's statuses
   * @param details facts beside it, by name
   */
  public record Report(String status, Map<String, Object> details) {}
}
