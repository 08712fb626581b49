package outbox.contracts.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.spi.Forwarder;

/**
 * What every forwarder must do: lose nothing when the broker restarts, refuses, throttles or
 * answers late; repeat events only after a fault, recognisable by their id; wait in the database,
 * not in memory. A subclass names the broker, and an outbox that uses the forwarder.
 */
@Timeout(600)
public abstract class ForwarderContract {
  /** Short, so that a forwarder gives up soon what a silent broker does not confirm. */
  protected static final Duration LEASE = Duration.ofSeconds(6);

  private static final Duration PATIENCE = Duration.ofSeconds(isFull() ? 500 : 120);
  private static final int KEYS = 20;
  private static final int CHUNK = 20;

  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  /** A broker that this test may kill, with an empty destination. */
  protected abstract BrokerUnderTest broker();

  /** A running outbox with leases of {@link #LEASE} on an empty table. */
  protected abstract ForwardingOutbox outbox(Forwarder forwarder);

  @AfterEach
  final void closeAll() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  @Test
  public void sendsEachEventOnceWhileNothingFails() {
    BrokerUnderTest broker = opened(broker());
    ForwardingOutbox outbox = outboxTo(broker);
    Set<String> published = publish(outbox, 500);
    Delivered delivered = awaitAll(outbox, broker, published);
    assertThat(delivered.duplicates()).isZero();
  }

  @Test
  public void losesNothingWhenTheBrokerIsKilled() {
    BrokerUnderTest broker = opened(broker());
    ForwardingOutbox outbox = outboxTo(broker);
    int events = events(2_000, 100_000);
    Set<String> published = publish(outbox, events / 2);
    broker.kill();
    published.addAll(publish(outbox, events / 4));
    broker.restart();
    published.addAll(publish(outbox, events / 4));
    report("killed", awaitAll(outbox, broker, published));
    assertThat(outbox.dead()).isEmpty();
  }

  /** By the first arrival of each event: a repeated one is recognised by its id. */
  @Test
  public void keepsTheOrderOfAKeyWhenTheBrokerIsKilledAndLate() {
    BrokerUnderTest broker = opened(broker());
    ForwardingOutbox outbox = outboxTo(broker);
    int share = events(400, 20_000);
    Set<String> published = publish(outbox, 0, share, true);
    broker.kill();
    published.addAll(publish(outbox, share, share, true));
    broker.restart();
    broker.freeze();
    try {
      published.addAll(publish(outbox, 2 * share, share, true));
      awaitLongerThanTheLease(outbox);
    } finally {
      broker.thaw();
    }
    Delivered delivered = awaitAll(outbox, broker, published);
    report("ordered", delivered);
    assertThat(delivered.overtakings()).isZero();
    assertThat(outbox.dead()).isEmpty();
  }

  @Test
  public void losesNothingWhenTheBrokerAnswersTooLate() {
    BrokerUnderTest broker = opened(broker());
    ForwardingOutbox outbox = outboxTo(broker);
    Set<String> published = publish(outbox, 200);
    broker.freeze();
    try {
      published.addAll(publish(outbox, 200));
      awaitLongerThanTheLease(outbox);
    } finally {
      broker.thaw();
    }
    report("late", awaitAll(outbox, broker, published));
    assertThat(outbox.dead()).isEmpty();
  }

  @Test
  public void keepsWhatTheBrokerRefusesUntilItAccepts() {
    BrokerUnderTest broker = opened(broker());
    ForwardingOutbox outbox = outboxTo(broker);
    broker.refuse();
    Set<String> published = publish(outbox, 200);
    awaitLongerThanTheLease(outbox);
    assertThat(outbox.pending()).isEqualTo(200);
    assertThat(outbox.dead()).isEmpty();
    broker.accept();
    awaitAll(outbox, broker, published);
    assertThat(outbox.dead()).isEmpty();
  }

  @Test
  public void losesNothingWhileTheBrokerThrottles() {
    BrokerUnderTest broker = opened(broker());
    ForwardingOutbox outbox = outboxTo(broker);
    broker.throttle();
    awaitAll(outbox, broker, publish(outbox, 500));
    assertThat(outbox.dead()).isEmpty();
  }

  @Test
  public void endsAnEventThatIsTooLargeWithTheReason() {
    BrokerUnderTest broker = opened(broker());
    ForwardingOutbox outbox = outboxTo(broker);
    EventEnvelope large =
        EventEnvelope.builder("Number")
            .aggregateId("large")
            .maxPayloadBytes(Integer.MAX_VALUE)
            .payloadJson("9".repeat(broker.tooLarge()))
            .build();
    outbox.publish(List.of(large));
    awaitAll(outbox, broker, publish(outbox, 50));
    assertThat(outbox.dead())
        .singleElement()
        .satisfies(
            letter -> {
              assertThat(letter.event().eventId()).isEqualTo(large.eventId());
              assertThat(letter.error())
                  .contains("refuses")
                  .contains("larger than")
                  .doesNotContain("9999999999");
              assertThat(letter.event().attempts()).isEqualTo(1);
            });
  }

  private ForwardingOutbox outboxTo(BrokerUnderTest broker) {
    return opened(outbox(opened(broker.forwarder(LEASE))));
  }

  private <T extends AutoCloseable> T opened(T closeable) {
    open.push(closeable);
    return closeable;
  }

  /** Publishes numbered events over a few keys, some in each transaction. */
  private static Set<String> publish(ForwardingOutbox outbox, int count) {
    return publish(outbox, 0, count, false);
  }

  private static Set<String> publish(
      ForwardingOutbox outbox, int first, int count, boolean ordered) {
    Set<String> ids = new HashSet<>();
    for (int from = 0; from < count; from += CHUNK) {
      List<EventEnvelope> chunk = new ArrayList<>();
      for (int number = from; number < Math.min(count, from + CHUNK); number++) {
        String key = "key-" + number % KEYS;
        EventEnvelope event =
            EventEnvelope.builder("Number")
                .aggregateType("counter")
                .aggregateId(key)
                .orderingKey(ordered ? key : null)
                .payloadJson(Integer.toString(first + number))
                .build();
        chunk.add(event);
        ids.add(event.eventId());
      }
      outbox.publish(chunk);
    }
    return ids;
  }

  private static Delivered awaitAll(
      ForwardingOutbox outbox, BrokerUnderTest broker, Set<String> published) {
    await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).until(() -> outbox.pending() == 0);
    Delivered delivered = Delivered.of(broker.arrivals());
    assertThat(delivered.ids()).containsExactlyInAnyOrderElementsOf(published);
    return delivered;
  }

  /** Long enough for every lease and every time limit of a client to end once. */
  private static void awaitLongerThanTheLease(ForwardingOutbox outbox) {
    long start = System.nanoTime();
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(200))
        .until(
            () ->
                outbox.pending() > 0 && System.nanoTime() - start > LEASE.plusSeconds(2).toNanos());
  }

  private static boolean isFull() {
    return "full".equals(System.getProperty("outbox.chaos"));
  }

  private static int events(int shortForm, int longForm) {
    return isFull() ? longForm : shortForm;
  }

  private static void report(String fault, Delivered delivered) {
    System.out.println(
        "forwarder: "
            + fault
            + " events="
            + delivered.ids().size()
            + " duplicates="
            + delivered.duplicates());
  }
}
