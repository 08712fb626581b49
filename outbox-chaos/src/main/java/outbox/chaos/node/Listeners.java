package outbox.chaos.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import outbox.EventEnvelope;
import outbox.PermanentFailureException;
import outbox.chaos.ledger.Exit;
import outbox.chaos.ledger.Topic;
import outbox.jdbc.JdbcOutbox;

/** What a node does with the events of each topic. */
final class Listeners {
  private static final Duration SLOW = Duration.ofMillis(400);
  private static final Duration EDGE = Duration.ofMillis(700);
  private static final Duration HANG = Duration.ofSeconds(5);
  private static final int FAILURE_PERIOD = 8;
  private static final int CHUNK = 4 << 20;

  private final Calls calls;
  private final String node;

  Listeners(Calls calls, String node) {
    this.calls = calls;
    this.node = node;
  }

  void register(JdbcOutbox.Builder outbox) {
    plain(outbox, Topic.PLAIN, Duration.ZERO);
    plain(outbox, Topic.SCHEDULED, Duration.ZERO);
    plain(outbox, Topic.SWALLOWED, Duration.ZERO);
    plain(outbox, Topic.KEYED, Duration.ZERO);
    plain(outbox, Topic.STEP, Duration.ZERO);
    plain(outbox, Topic.SLOW, SLOW);
    plain(outbox, Topic.EDGE, EDGE);
    outbox.listener(Topic.SEVERAL.label(), "first", event -> run("several.first", event, () -> {}));
    outbox.listener(
        Topic.SEVERAL.label(), "second", event -> run("several.second", event, Listeners::waver));
    outbox.transactionalListener(
        Topic.EFFECT.label(),
        (event, connection) ->
            run(
                Topic.EFFECT.label(),
                event,
                () -> Business.effect(connection, event.eventId(), node)));
    outbox.listener(
        Topic.JOINED.label(),
        event -> calls.run("joined", event.eventId(), payload(event), () -> {}));
    outbox.listener(
        Topic.BAD_STEP.label(),
        event -> {
          run(Topic.BAD_STEP.label(), event, () -> {});
          throw new PermanentFailureException("this step fails");
        });
    registerPoison(outbox);
  }

  private void registerPoison(JdbcOutbox.Builder outbox) {
    atFirst(outbox, Topic.HANG, Listeners::hang);
    atFirst(
        outbox,
        Topic.ERROR,
        () -> {
          throw new StackOverflowError("on purpose");
        });
    atFirst(outbox, Topic.MEMORY, Listeners::exhaustMemory);
    atFirst(
        outbox,
        Topic.LETTER,
        () -> {
          throw new PermanentFailureException("until it is replayed");
        });
    outbox.listener(
        Topic.HALT.label(),
        event ->
            run(
                Topic.HALT.label(),
                event,
                () -> {
                  pause(Duration.ofMillis(50));
                  Runtime.getRuntime().halt(Exit.HALTED);
                }));
  }

  private void plain(JdbcOutbox.Builder outbox, Topic topic, Duration howLong) {
    outbox.listener(topic.label(), event -> run(topic.label(), event, () -> pause(howLong)));
  }

  /** Misbehaves in the first call of each event, and handles it in the next. */
  private void atFirst(JdbcOutbox.Builder outbox, Topic topic, Calls.Body trouble) {
    outbox.listener(
        topic.label(),
        event ->
            run(
                topic.label(),
                event,
                () -> {
                  if (calls.isFirst(event.eventId())) {
                    trouble.run();
                  }
                }));
  }

  private void run(String listener, EventEnvelope event, Calls.Body body) throws Exception {
    calls.run(listener, event.eventId(), keyOf(event), body);
  }

  private static String keyOf(EventEnvelope event) {
    return event.hasIdempotencyKey() ? event.idempotencyKey() : "";
  }

  private static String payload(EventEnvelope event) {
    String payload = event.payloadJson();
    return payload == null ? "" : payload;
  }

  private static void waver() {
    if (ThreadLocalRandom.current().nextInt(FAILURE_PERIOD) == 0) {
      throw new IllegalStateException("now and then");
    }
  }

  private static void hang() {
    long end = System.nanoTime() + HANG.toNanos();
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
      Thread.interrupted();
    }
  }

  private static void exhaustMemory() {
    List<byte[]> hoard = new ArrayList<>();
    while (hoard.size() < Integer.MAX_VALUE) {
      hoard.add(new byte[CHUNK]);
    }
  }

  /** Ends early by an exception if the engine interrupts it. */
  static void pause(Duration howLong) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(howLong.toNanos());
  }
}
