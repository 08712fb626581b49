package outbox.benchmarks;

import outbox.jdbc.JdbcJoinStore;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.join.JoinTracker;

/** What the acknowledged messages have to do with joins. */
enum JoinKind {
  WITHOUT("without joins", false, false),
  UNUSED("joins on, messages in none", true, false),
  HOT("joins on, all in one", true, true);

  private final String label;
  private final boolean counting;
  private final boolean steps;

  JoinKind(String label, boolean counting, boolean steps) {
    this.label = label;
    this.counting = counting;
    this.steps = steps;
  }

  String label() {
    return label;
  }

  /** Whether the messages are steps of one join. */
  boolean hasSteps() {
    return steps;
  }

  JdbcOutboxRepository store() {
    return counting
        ? JdbcOutboxRepository.builder().terminalHook(new JoinTracker(new JdbcJoinStore())).build()
        : new JdbcOutboxRepository();
  }
}
