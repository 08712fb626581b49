package outbox.chaos.node;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import outbox.EventEnvelope;
import outbox.chaos.clock.SteadyClock;
import outbox.chaos.ledger.Fact;
import outbox.chaos.ledger.LedgerWriter;
import outbox.chaos.ledger.Topic;
import outbox.jdbc.JdbcOutbox;

/** Publishes events in business transactions of every kind. Thread-safe. */
final class Publishing {
  private static final int RIVALS = 2;
  private static final int KEYS = 3;
  private static final int BATCH = 25;

  private final JdbcOutbox outbox;
  private final LedgerWriter ledger;
  private final long toTimeOfDay;

  /** Makes a statement of the transaction fail and catches that. */
  private final FailingStatement failing;

  Publishing(JdbcOutbox outbox, LedgerWriter ledger, long toTimeOfDay, FailingStatement failing) {
    this.outbox = outbox;
    this.ledger = ledger;
    this.toTimeOfDay = toTimeOfDay;
    this.failing = failing;
  }

  /** Chooses one of the ordinary kinds. */
  void step(Random random) throws Exception {
    int dice = random.nextInt(100);
    if (dice < 40) {
      publish(Topic.PLAIN);
    } else if (dice < 52) {
      publish(Topic.SEVERAL);
    } else if (dice < 68) {
      publish(Topic.EFFECT);
    } else if (dice < 74) {
      scheduled(random);
    } else if (dice < 80) {
      keyed(random);
    } else if (dice < 86) {
      rolledBack();
    } else if (dice < 91) {
      swallowed();
    } else if (dice < 93) {
      publish(Topic.SLOW);
    } else {
      batch();
    }
  }

  /** One event with its row. */
  void publish(Topic topic) throws Exception {
    publish(EventEnvelope.ofJson(topic.label(), "{}"), topic);
  }

  private void publish(EventEnvelope event, Topic topic) throws Exception {
    outbox.inTransaction(
        connection -> {
          publish(connection, event, topic);
        });
    committed(event, topic);
  }

  private void publish(Connection connection, EventEnvelope event, Topic topic)
      throws SQLException {
    Business.insert(connection, event.eventId(), topic, "");
    outbox.publish(event);
  }

  private void committed(EventEnvelope event, Topic topic) {
    ledger.note(Fact.COMMITTED, topic.label(), event.eventId(), "");
  }

  /** Many events in one transaction, of which the last one has an effect. */
  private void batch() throws Exception {
    List<EventEnvelope> many =
        Stream.generate(() -> EventEnvelope.ofJson(Topic.PLAIN.label(), "{}"))
            .limit(BATCH)
            .toList();
    EventEnvelope last = EventEnvelope.ofJson(Topic.EFFECT.label(), "{}");
    outbox.inTransaction(
        connection -> {
          for (EventEnvelope event : many) {
            publish(connection, event, Topic.PLAIN);
          }
          publish(connection, last, Topic.EFFECT);
        });
    many.forEach(event -> committed(event, Topic.PLAIN));
    committed(last, Topic.EFFECT);
  }

  private void scheduled(Random random) throws Exception {
    long now = SteadyClock.millis() + toTimeOfDay;
    Instant due = Instant.ofEpochMilli(now + random.nextInt(3000));
    publish(
        EventEnvelope.builder(Topic.SCHEDULED.label()).payloadJson("{}").dueAt(due).build(),
        Topic.SCHEDULED);
  }

  /** Several processes use the same keys within a second: one of them publishes. */
  private void keyed(Random random) throws Exception {
    String key = "key-" + SteadyClock.millis() / 1000 + "-" + random.nextInt(KEYS);
    EventEnvelope event =
        EventEnvelope.builder(Topic.KEYED.label()).payloadJson("{}").idempotencyKey(key).build();
    outbox.inTransaction(
        connection -> {
          if (outbox.publish(event).equals(event.eventId())) {
            Business.insert(connection, event.eventId(), Topic.KEYED, key);
          }
        });
  }

  private void rolledBack() throws Exception {
    try {
      outbox.inTransaction(
          connection -> {
            publish(connection, EventEnvelope.ofJson(Topic.PLAIN.label(), "{}"), Topic.PLAIN);
            throw new RollbackException();
          });
    } catch (RollbackException e) {
      // As it should be.
    }
  }

  private void swallowed() throws Exception {
    EventEnvelope event = EventEnvelope.ofJson(Topic.SWALLOWED.label(), "{}");
    outbox.inTransaction(
        connection -> {
          publish(connection, event, Topic.SWALLOWED);
          failing.failAndSwallow(connection, event.eventId());
        });
  }

  /**
   * Two of these at once may deadlock. The victim catches that and continues: where the database
   * has rolled everything back, the second event is all that commits.
   */
  void deadlock(Random random) throws Exception {
    int first = random.nextInt(RIVALS);
    EventEnvelope before = EventEnvelope.ofJson(Topic.SWALLOWED.label(), "{}");
    EventEnvelope after = EventEnvelope.ofJson(Topic.SWALLOWED.label(), "{}");
    outbox.inTransaction(
        connection -> {
          publish(connection, before, Topic.SWALLOWED);
          try {
            Business.touch(connection, first);
            Listeners.pause(Duration.ofMillis(100));
            Business.touch(connection, 1 - first);
            publish(connection, after, Topic.SWALLOWED);
          } catch (SQLException e) {
            publish(connection, after, Topic.SWALLOWED);
          }
        });
  }

  /**
   * Commits shortly before or after the end of the lease that the insert gave: by less than the
   * engine needs to notice that it must renew.
   */
  void atTheEndOfTheLease(Random random) throws Exception {
    EventEnvelope event = EventEnvelope.ofJson(Topic.EDGE.label(), "{}");
    long left = TimeUnit.MILLISECONDS.toNanos(random.nextInt(300) - 60);
    outbox.inTransaction(
        connection -> {
          Business.insert(connection, event.eventId(), Topic.EDGE, "");
          long commit = System.nanoTime() + Pace.LEASE.toNanos() - left;
          outbox.publish(event);
          Listeners.pause(Duration.ofNanos(commit - System.nanoTime()));
        });
    committed(event, Topic.EDGE);
  }

  /** A join of some steps, of which few fail, and one continuation. */
  void join(Random random) throws Exception {
    EventEnvelope group = EventEnvelope.ofJson(Topic.JOINED.label(), "{}");
    int steps = 1 + random.nextInt(6);
    int bad = random.nextInt(10) == 0 ? 1 : 0;
    outbox.inTransaction(
        connection -> {
          Business.insertJoin(connection, group.eventId(), steps - bad, bad);
          var plan = outbox.joins().plan().groupingKey(group.eventId());
          for (int i = 0; i < steps; i++) {
            Topic topic = i < bad ? Topic.BAD_STEP : Topic.STEP;
            EventEnvelope step = EventEnvelope.ofJson(topic.label(), "{}");
            Business.insert(connection, step.eventId(), topic, "");
            plan.step(step);
          }
          plan.onComplete(Topic.JOINED.label(), group.eventId())
              .onFail(Topic.JOINED.label(), group.eventId())
              .start();
        });
  }

  /** Makes a statement fail in the transaction of a connection. */
  @FunctionalInterface
  interface FailingStatement {
    void failAndSwallow(Connection connection, String id);
  }

  private static final class RollbackException extends Exception {
    private static final long serialVersionUID = 1;
  }
}
