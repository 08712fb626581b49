package outbox.chaos.node;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxMessage;
import outbox.chaos.clock.SteadyClock;
import outbox.chaos.ledger.Fact;
import outbox.chaos.ledger.Topic;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.model.MessageId;
import outbox.model.OwnerToken;

/** The work queue by hand: one who enqueues, and workers who claim under tokens of their own. */
final class QueueWork {
  static final String TABLE = "queue_event";
  private static final int BATCH = 10;
  private static final int MAX_ATTEMPTS = 50;
  private static final int LATE_PERIOD = 15;
  private static final int ACK = 3;

  /** How long the successor of a late worker keeps a message, so that the late one meets it. */
  private static final Duration HOLD = Pace.LEASE.multipliedBy(2).dividedBy(3);

  private final DataSource pool;
  private final Calls calls;
  private final Outbox queue;

  QueueWork(DataSource pool, Calls calls) {
    this.pool = pool;
    this.calls = calls;
    this.queue =
        OutboxBuilder.of(
                pool::getConnection, JdbcOutboxRepository.builder().tableName(TABLE).build())
            .maxAttempts(MAX_ATTEMPTS)
            .maxLeaseExpiries(MAX_ATTEMPTS)
            .build();
  }

  void enqueue(Random random) throws Exception {
    EventEnvelope message = EventEnvelope.ofJson(Topic.QUEUE.label(), "{}");
    Business.inTransaction(
        pool,
        random,
        connection -> {
          Business.insert(connection, message.eventId(), Topic.QUEUE, "");
          queue.enqueue(connection, message);
        });
  }

  /** Claims some messages and ends most of them in time, and some when others have them. */
  void work(Random random) throws Exception {
    OwnerToken owner = OwnerToken.random();
    long claimed = SteadyClock.millis();
    List<OutboxMessage> messages = queue.claim(owner, Pace.LEASE, BATCH);
    if (messages.isEmpty()) {
      Listeners.pause(Duration.ofMillis(100));
      return;
    }
    List<MessageId> ids = messages.stream().map(OutboxMessage::id).toList();
    for (OutboxMessage message : messages) {
      note(Fact.CLAIMED, owner, message.id(), claimed + " " + until(message));
    }
    boolean late = random.nextInt(LATE_PERIOD) == 0;
    List<MessageId> done = new ArrayList<>();
    for (MessageId id : ids) {
      if (SteadyClock.millis() - claimed < Pace.LEASE.toMillis() / 2) {
        calls.run(Topic.QUEUE.label(), id.value(), owner.value(), () -> {});
        done.add(id);
      }
    }
    if (late) {
      Listeners.pause(Pace.LEASE.plusMillis(200 + random.nextInt(1200)));
      end(random.nextInt(2) * ACK, owner, done);
    } else {
      if (!done.isEmpty() && !calls.isFirst(done.get(0).value())) {
        Listeners.pause(HOLD);
      }
      end(random.nextInt(20), owner, done);
    }
  }

  private void end(int dice, OwnerToken owner, List<MessageId> ids) {
    String called = String.valueOf(SteadyClock.millis());
    if (dice == 0) {
      note(Fact.RELEASED, owner, queue.release(owner, ids), called);
    } else if (dice == 1) {
      note(Fact.RELEASED, owner, queue.abandon(owner, ids, "now and then", Duration.ZERO), called);
    } else if (dice == 2) {
      note(Fact.FAILED, owner, queue.fail(owner, ids, "now and then"), called);
    } else {
      note(Fact.ACKED, owner, queue.ack(owner, ids), called);
    }
  }

  private void note(Fact fact, OwnerToken owner, Set<MessageId> accepted, String called) {
    accepted.forEach(id -> note(fact, owner, id, called));
  }

  private void note(Fact fact, OwnerToken owner, MessageId id, String times) {
    calls.ledger().note(fact, Topic.QUEUE.label(), id.value(), owner.value() + " " + times);
  }

  private static long until(OutboxMessage message) {
    return requireNonNull(message.lockedUntil()).toEpochMilli();
  }
}
