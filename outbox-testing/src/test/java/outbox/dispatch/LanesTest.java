package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.dispatch.Delivery.Hold;
import outbox.dispatch.QueuedEvent.Source;
import outbox.testing.Spec;

@Timeout(60)
class LanesTest {
  private static final long PLENTY = 1 << 20;

  @Test
  @Spec({"FRM-75", "FRM-86"})
  void laneRefusesWhatExceedsItsNumber() {
    Lanes lanes = new Lanes(2, PLENTY, 1, PLENTY);

    assertThat(lanes.offerHot(delivery(10))).isTrue();
    assertThat(lanes.offerHot(delivery(10))).isTrue();
    assertThat(lanes.offerHot(delivery(10))).isFalse();
    assertThat(lanes.hasHotRoom(1)).isFalse();
    assertThat(lanes.offerCold(delivery(10))).isTrue();
    assertThat(lanes.offerCold(delivery(10))).isFalse();
    assertThat(lanes.coldRoom()).isZero();
  }

  @Test
  void laneRefusesWhatExceedsItsBytesButLetsOneOversizedEventPass() throws Exception {
    Lanes lanes = new Lanes(100, 2000, 100, 2000);

    assertThat(lanes.offerHot(delivery(50_000))).isTrue();
    assertThat(lanes.offerHot(delivery(10))).isFalse();
    lanes.take();
    assertThat(lanes.offerHot(delivery(10))).isTrue();
    assertThat(lanes.offerHot(delivery(10))).isTrue();
    assertThat(lanes.offerHot(delivery(1000))).isFalse();
  }

  @Test
  void coldLaneWithHalfOfItsBytesUsedCountsAsFullUntilItIsTold() throws Exception {
    Lanes lanes = new Lanes(1, PLENTY, 100, 10_000);
    AtomicInteger told = new AtomicInteger();
    lanes.onColdRoom(told::incrementAndGet);
    assertThat(lanes.offerCold(delivery(3000))).isTrue();
    assertThat(lanes.coldRoom()).isEqualTo(99);
    assertThat(lanes.offerCold(delivery(3000))).isTrue();

    assertThat(lanes.coldRoom()).isZero();
    lanes.take();
    assertThat(told).hasValue(1);
    assertThat(lanes.coldRoom()).isEqualTo(99);
  }

  @Test
  void coldLaneThatRefusedAnEventCountsAsFullUntilItWouldFit() throws Exception {
    Lanes lanes = new Lanes(1, PLENTY, 100, 10_000);
    AtomicInteger told = new AtomicInteger();
    lanes.onColdRoom(told::incrementAndGet);
    lanes.offerCold(delivery(1000));
    lanes.offerCold(delivery(1000));
    assertThat(lanes.offerCold(delivery(9000))).isFalse();

    assertThat(lanes.coldRoom()).as("another claim would bring the same event").isZero();
    lanes.take();
    assertThat(told).hasValue(0);
    lanes.take();
    assertThat(told).hasValue(1);
    assertThat(lanes.coldRoom()).isEqualTo(100);
  }

  @Test
  @Spec("FRM-14")
  void hotGoesFirstAndEveryEighthIsCold() throws Exception {
    Lanes lanes = new Lanes(100, PLENTY, 100, PLENTY);
    for (int i = 0; i < 16; i++) {
      lanes.offerHot(delivery(1));
      lanes.offerCold(cold());
    }
    List<Source> sources = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 16; i++) {
      sources.add(Objects.requireNonNull(lanes.take()).source());
    }

    assertThat(sources.subList(0, 7)).containsOnly(Source.HOT);
    assertThat(sources.get(7)).isEqualTo(Source.COLD);
    assertThat(sources.subList(8, 15)).containsOnly(Source.HOT);
    assertThat(sources.get(15)).isEqualTo(Source.COLD);
  }

  @Test
  void takerThatWaitsIsWokenByEitherLane() throws Exception {
    Lanes lanes = new Lanes(1, PLENTY, 1, PLENTY);
    List<Source> taken = new CopyOnWriteArrayList<>();
    Thread taker =
        new Thread(
            () -> {
              try {
                for (Delivery next = lanes.take(); next != null; next = lanes.take()) {
                  taken.add(next.source());
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    taker.start();

    await().atMost(Duration.ofSeconds(30)).until(() -> taker.getState() == Thread.State.WAITING);
    lanes.offerCold(cold());
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> taken.size() == 1 && taker.getState() == Thread.State.WAITING);
    lanes.offerHot(delivery(1));
    await().atMost(Duration.ofSeconds(30)).until(() -> taken.size() == 2);
    lanes.close();
    taker.join();

    assertThat(taken).containsExactly(Source.COLD, Source.HOT);
    assertThat(lanes.offerHot(delivery(1))).isFalse();
  }

  @Test
  void whoFoundTheColdLaneFullIsToldWhenItIsHalfEmpty() throws Exception {
    Lanes lanes = new Lanes(1, PLENTY, 4, PLENTY);
    AtomicInteger told = new AtomicInteger();
    lanes.onColdRoom(told::incrementAndGet);
    for (int i = 0; i < 4; i++) {
      lanes.offerCold(cold());
    }
    lanes.take();
    lanes.take();
    assertThat(told).hasValue(0);
    lanes.offerCold(cold());
    lanes.offerCold(cold());

    assertThat(lanes.coldRoom()).isZero();
    lanes.take();
    assertThat(told).hasValue(0);
    lanes.take();
    assertThat(told).hasValue(1);
    lanes.take();
    assertThat(told).hasValue(1);
  }

  private static Delivery delivery(int bytes) {
    EventEnvelope event = EventEnvelope.builder("Any").payloadJson("x".repeat(bytes)).build();
    return Delivery.of(new QueuedEvent(event, Source.HOT, 0), new Hold(null, 0));
  }

  private static Delivery cold() {
    EventEnvelope event = EventEnvelope.ofJson("Any", "");
    return Delivery.of(new QueuedEvent(event, Source.COLD, 0), new Hold(null, 0));
  }
}
