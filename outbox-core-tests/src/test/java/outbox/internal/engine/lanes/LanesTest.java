package outbox.internal.engine.lanes;

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
import outbox.contracts.support.Spec;
import outbox.internal.engine.delivery.Deliveries;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Work;

@Timeout(60)
class LanesTest {
  private static final long PLENTY = 1 << 20;
  private static final String HOT = "Hot";
  private static final String COLD = "Cold";

  @Test
  @Spec({"FRM-75", "FRM-86"})
  void laneRefusesWhatExceedsItsNumber() {
    Lanes lanes = new Lanes(2, PLENTY, 1, PLENTY);

    assertThat(lanes.offerHot(delivery(10))).isTrue();
    assertThat(lanes.offerHot(delivery(10))).isTrue();
    assertThat(lanes.offerHot(delivery(10))).isFalse();
    assertThat(lanes.hasHotRoom(1, 1)).isFalse();
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
    List<String> sources = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 16; i++) {
      sources.add(sourceOfNext(lanes));
    }

    assertThat(sources.subList(0, 7)).containsOnly(HOT);
    assertThat(sources.get(7)).isEqualTo(COLD);
    assertThat(sources.subList(8, 15)).containsOnly(HOT);
    assertThat(sources.get(15)).isEqualTo(COLD);
  }

  @Test
  void takerThatWaitsIsWokenByEitherLane() throws Exception {
    Lanes lanes = new Lanes(1, PLENTY, 1, PLENTY);
    List<String> taken = new CopyOnWriteArrayList<>();
    Thread taker =
        new Thread(
            () -> {
              try {
                for (Work next = lanes.take(); next != null; next = lanes.take()) {
                  taken.add(((Delivery) next).eventType());
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

    assertThat(taken).containsExactly(COLD, HOT);
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

  @Test
  void laneTakesExactlyItsBytes() throws Exception {
    Lanes lanes = new Lanes(100, 2000, 1, PLENTY);
    int half = 1000 - (int) Delivery.BYTES_BESIDE_PAYLOAD;
    assertThat(lanes.offerHot(delivery(half))).isTrue();

    assertThat(lanes.hasHotRoom(1, 1001)).isFalse();
    assertThat(lanes.hasHotRoom(1, 1000)).isTrue();
    assertThat(lanes.offerHot(delivery(half + 1))).isFalse();
    assertThat(lanes.offerHot(delivery(half))).isTrue();
    assertThat(lanes.offerHot(delivery(0))).isFalse();
    assertThat(lanes.hotDepth()).isEqualTo(2);

    lanes.take();
    assertThat(lanes.hotDepth()).isEqualTo(1);
    assertThat(lanes.offerHot(delivery(half))).isTrue();
  }

  @Test
  void coldLaneHasBytesUntilMoreThanHalfIsUsed() {
    Lanes lanes = new Lanes(1, PLENTY, 10, 2000);
    assertThat(lanes.coldBytesFor(2)).isEqualTo(2000 - 2 * 512);
    assertThat(lanes.coldBytesFor(4)).isEqualTo(1);

    lanes.offerCold(delivery(1000 - 512));

    assertThat(lanes.coldRoom()).isEqualTo(9);
    assertThat(lanes.coldBytesFor(1)).isEqualTo(1000 - 512);
    lanes.offerCold(delivery(0));
    assertThat(lanes.coldRoom()).isZero();
    assertThat(lanes.coldDepth()).isEqualTo(2);
  }

  @Test
  void roomIsToldOnlyToWhoFoundLessThanHalfOfTheLaneFree() throws Exception {
    Lanes lanes = new Lanes(1, PLENTY, 5, PLENTY);
    AtomicInteger told = new AtomicInteger();
    lanes.onColdRoom(told::incrementAndGet);
    lanes.offerCold(cold());
    lanes.offerCold(cold());
    assertThat(lanes.coldRoom()).isEqualTo(3);
    lanes.take();
    assertThat(told).hasValue(0);

    lanes.offerCold(cold());
    lanes.offerCold(cold());
    assertThat(lanes.coldRoom()).isEqualTo(2);
    lanes.take();
    assertThat(told).hasValue(1);
  }

  @Test
  void coldEventGoesFirstAfterSevenHotOnesThatItDidNotWaitFor() throws Exception {
    Lanes lanes = new Lanes(100, PLENTY, 100, PLENTY);
    for (int i = 0; i < 30; i++) {
      lanes.offerHot(delivery(1));
      lanes.take();
    }
    for (int i = 0; i < 2; i++) {
      lanes.offerHot(delivery(1));
      lanes.offerCold(cold());
    }

    assertThat(sourceOfNext(lanes)).isEqualTo(COLD);
    assertThat(sourceOfNext(lanes)).isEqualTo(HOT);
    assertThat(sourceOfNext(lanes)).isEqualTo(HOT);
    assertThat(sourceOfNext(lanes)).isEqualTo(COLD);
  }

  @Test
  void closedLanesTakeNothingAndAreWorkedOff() throws Exception {
    Lanes lanes = new Lanes(10, PLENTY, 10, PLENTY);
    lanes.offerHot(delivery(1));

    lanes.close();

    assertThat(lanes.hasHotRoom(1, 1)).isFalse();
    assertThat(lanes.coldRoom()).isZero();
    assertThat(lanes.offerCold(cold())).isFalse();
    assertThat(sourceOfNext(lanes)).isEqualTo(HOT);
    assertThat(lanes.take()).isNull();
  }

  @Test
  void whatIsMeantIsTakenOutOfBothLanesAndLeavesItsRoom() throws Exception {
    Lanes lanes = new Lanes(1, 600, 2, 600);
    AtomicInteger told = new AtomicInteger();
    lanes.onColdRoom(told::incrementAndGet);
    Delivery hot = delivery(1);
    Delivery kept = cold();
    lanes.offerHot(hot);
    lanes.offerCold(kept);
    assertThat(lanes.offerCold(cold())).isFalse();

    assertThat(lanes.drain(delivery -> delivery != kept)).containsExactly(hot);
    assertThat(told).hasValue(0);
    assertThat(lanes.hotDepth()).isZero();
    assertThat(lanes.coldDepth()).isEqualTo(1);
    assertThat(lanes.drain(delivery -> true)).containsExactly(kept);
    assertThat(told).hasValue(1);

    assertThat(lanes.drain(delivery -> true)).isEmpty();
    assertThat(told).hasValue(1);
    assertThat(lanes.offerHot(hot)).isTrue();
    assertThat(lanes.offerCold(kept)).isTrue();
    assertThat(lanes.take()).isSameAs(hot);
    assertThat(lanes.take()).isSameAs(kept);
  }

  private static String sourceOfNext(Lanes lanes) throws InterruptedException {
    return ((Delivery) Objects.requireNonNull(lanes.take())).eventType();
  }

  private static Delivery delivery(int bytes) {
    EventEnvelope event = EventEnvelope.builder(HOT).payloadJson("x".repeat(bytes)).build();
    return Deliveries.of(event, null);
  }

  private static Delivery cold() {
    EventEnvelope event = EventEnvelope.ofJson(COLD, "");
    return Deliveries.of(event, null);
  }
}
