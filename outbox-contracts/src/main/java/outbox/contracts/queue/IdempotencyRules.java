package outbox.contracts.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.Outbox.Enqueued;
import outbox.OutboxIdempotency;
import outbox.OutboxMessage;
import outbox.OutboxWriter;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.model.EventStatus;
import outbox.model.MessageId;

/** A producer that enqueues a message again by its key is told so, and nothing else happens. */
interface IdempotencyRules extends QueueUnderTest {
  UUID KEY = OutboxIdempotency.createKey("acme", "order", 42, "placed");

  @Test
  @Spec({"IDEM-08", "IDEM-13", "IDEM-22"})
  default void aMessageWithoutAKeyHasItsIdForOne() {
    Enqueued enqueued = outbox().enqueue("topic", "{}");

    assertThat(enqueued.idempotencyKey()).isEqualTo(enqueued.id().value());
    assertThat(enqueued.alreadyExisted()).isFalse();
    assertThat(claimOnly(ME).idempotencyKey()).isEqualTo(enqueued.idempotencyKey());
  }

  @Test
  @Spec({"IDEM-09", "IDEM-12", "IDEM-13", "IDEM-14", "IDEM-70"})
  default void addingTwiceByAKeyAddsOnce() throws Exception {
    OutboxWriter writer = new OutboxWriter(outbox());
    Enqueued first = writer.add("acme", "order.placed", "1", KEY);

    Enqueued second = writer.add("acme", "order.placed", "2", KEY);
    Enqueued third;
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(false);
      third = writer.add(connection, "acme", "order.placed", "3", KEY);
      connection.commit();
    }

    assertThat(first).isEqualTo(new Enqueued(first.id(), KEY.toString(), false));
    assertThat(second).isEqualTo(new Enqueued(first.id(), KEY.toString(), true));
    assertThat(third).isEqualTo(second);
    OutboxMessage message = claimOnly(ME);
    assertThat(message.payload()).isEqualTo("1");
    assertThat(message.tenantId()).isEqualTo("acme");
    assertThat(message.topic()).isEqualTo("order.placed");
  }

  @Test
  @Spec("IDEM-12")
  default void addingWithoutAKeyAddsEachTime() throws Exception {
    OutboxWriter writer = new OutboxWriter(outbox());
    List<Enqueued> added = new ArrayList<>();
    added.add(writer.add("acme", "topic", "{}"));
    added.add(writer.add("acme", "topic", "{}", null));
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(false);
      added.add(writer.add(connection, "acme", "topic", "{}", null));
      connection.commit();
    }

    assertThat(added).extracting(Enqueued::alreadyExisted).containsOnly(false);
    assertThat(claim(ME))
        .extracting(OutboxMessage::id, OutboxMessage::idempotencyKey, OutboxMessage::tenantId)
        .containsExactlyInAnyOrderElementsOf(
            added.stream().map(each -> tuple(each.id(), each.idempotencyKey(), "acme")).toList());
  }

  /** None of the producers knows of the others: they have only the event in common. */
  @Test
  @Spec({"IDEM-10", "IDEM-14"})
  default void producersThatDeriveTheirKeyFromTheEventStoreItOnce() throws Exception {
    Enqueued first = placedByWriter("first");
    Enqueued again = placedByWriter("again");
    Enqueued enqueued = outbox().enqueue(placed("enqueued"));
    Enqueued joined;
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(false);
      joined = outbox().enqueue(connection, placed("joined"));
      connection.commit();
    }

    assertThat(first.alreadyExisted()).isFalse();
    assertThat(List.of(again, enqueued, joined))
        .containsOnly(new Enqueued(first.id(), first.idempotencyKey(), true));
    assertThat(claimOnly(ME).payload()).isEqualTo("first");
  }

  private Enqueued placedByWriter(String payload) {
    UUID key = OutboxIdempotency.createKey("acme", "order", 7, "placed", 3);
    return new OutboxWriter(outbox()).add("acme", "order.placed", payload, key);
  }

  private static EventEnvelope placed(String payload) {
    return EventEnvelope.builder("order.placed")
        .tenantId("acme")
        .payloadJson(payload)
        .idempotencyKey(OutboxIdempotency.createKey("acme", "order", 7, "placed", 3))
        .build();
  }

  @Test
  @Spec({"IDEM-11", "IDEM-16", "IDEM-71"})
  default void whatDiffersInTenantEntityKindOrVersionIsAddedApart() {
    OutboxWriter writer = new OutboxWriter(outbox());
    List<Enqueued> added = new ArrayList<>();
    for (String tenant : List.of("acme", "other")) {
      added.add(writer.add(tenant, "topic", "{}", KEY));
      for (int version = 0; version < 2; version++) {
        UUID key = OutboxIdempotency.createKey("acme", "order", 42, "cancelled", version);
        added.add(writer.add(tenant, "topic", "{}", key));
      }
    }

    assertThat(added).extracting(Enqueued::alreadyExisted).containsOnly(false);
    assertThat(claim(ME)).hasSize(6);
  }

  @Test
  @Spec("IDEM-15")
  default void tryingToAddAsksTheFactoryOnlyForWhatIsNew() throws Exception {
    OutboxWriter writer = new OutboxWriter(outbox());
    AtomicInteger asked = new AtomicInteger();

    Enqueued first = writer.tryAdd("acme", KEY, () -> made(asked));
    Enqueued second = writer.tryAdd("acme", KEY, () -> made(asked));
    Enqueued joined;
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(false);
      joined = writer.tryAdd(connection, "acme", KEY, () -> made(asked));
      connection.commit();
    }

    assertThat(asked).hasValue(1);
    assertThat(first.alreadyExisted()).isFalse();
    assertThat(second).isEqualTo(new Enqueued(first.id(), KEY.toString(), true));
    assertThat(joined).isEqualTo(second);
    assertThat(claimOnly(ME).headers()).containsEntry("lang", "en");
  }

  private static EventEnvelope.Builder made(AtomicInteger asked) {
    asked.incrementAndGet();
    return EventEnvelope.builder("topic").payloadJson("{}").header("lang", "en");
  }

  @Test
  @Spec("IDEM-15")
  default void tryingToAddLooksAgainIfAnotherTransactionWasFaster() {
    OutboxWriter writer = new OutboxWriter(outbox());
    List<Enqueued> faster = new ArrayList<>();

    Enqueued late =
        writer.tryAdd(
            "acme",
            KEY,
            () -> {
              faster.add(writer.add("acme", "topic", "faster", KEY));
              return EventEnvelope.builder("topic").payloadJson("late");
            });

    assertThat(late).isEqualTo(new Enqueued(faster.get(0).id(), KEY.toString(), true));
    assertThat(claimOnly(ME).payload()).isEqualTo("faster");
  }

  @Test
  @Spec({"IDEM-14", "IDEM-26"})
  default void aDuplicateOfWhatIsDoneOrDeadIsOneAsWell() {
    Outbox outbox = outbox();
    Enqueued done = outbox.enqueue(keyed("acme", "done"));
    Enqueued dead = outbox.enqueue(keyed("acme", "dead"));
    claim(ME);
    outbox.ack(ME, List.of(done.id()));
    outbox.fail(ME, List.of(dead.id()), "no");

    assertThat(outbox.enqueue(keyed("acme", "done")).id()).isEqualTo(done.id());
    assertThat(outbox.enqueue(keyed("acme", "dead")).id()).isEqualTo(dead.id());
    assertThat(outbox.findByKey("acme", "dead")).contains(dead.id());

    assertThat(claim(ME)).isEmpty();
    assertThat(stored(done.id()).status()).isEqualTo(EventStatus.DONE);
  }

  @Test
  default void duplicatesInOneCallAndInTheQueueAreLeftOutInTheOrderGiven() {
    Outbox outbox = outbox();
    Enqueued before = outbox.enqueue(keyed("acme", "m"));
    List<EventEnvelope> messages =
        List.of(
            keyed("acme", "z"),
            keyed("acme", "m"),
            EventEnvelope.ofJson("topic", "{}"),
            keyed("acme", "a"),
            keyed("acme", "z"),
            keyed("other", "z"));

    List<Enqueued> enqueued = outbox.enqueueAll(messages);

    assertThat(enqueued)
        .containsExactly(
            enqueued(messages.get(0), false),
            new Enqueued(before.id(), "m", true),
            enqueued(messages.get(2), false),
            enqueued(messages.get(3), false),
            new Enqueued(enqueued.get(0).id(), "z", true),
            enqueued(messages.get(5), false));
    assertThat(claim(ME)).hasSize(5);
    assertThat(outbox.enqueueAll(messages.subList(3, 5)))
        .extracting(Enqueued::alreadyExisted)
        .containsOnly(true);
  }

  private static Enqueued enqueued(EventEnvelope message, boolean existed) {
    return new Enqueued(new MessageId(message.eventId()), message.idempotencyKey(), existed);
  }

  @Test
  default void manyKeysGoInAFewChunks() {
    List<EventEnvelope> messages =
        IntStream.range(0, 1203).mapToObj(i -> keyed("acme", "k" + i)).toList();
    outbox().enqueueAll(messages.subList(100, 110));
    List<EventEnvelope> again =
        IntStream.range(0, 1203).mapToObj(i -> keyed("acme", "k" + i)).toList();

    List<Enqueued> enqueued = outbox().enqueueAll(again);

    assertThat(enqueued).filteredOn(Enqueued::alreadyExisted).hasSize(10);
    assertThat(enqueued).extracting(Enqueued::idempotencyKey).first().isEqualTo("k0");
    assertThat(outbox().claim(ME, LEASE, 2000)).hasSize(1203);
    assertThat(outbox().enqueueAll(messages))
        .extracting(Enqueued::alreadyExisted)
        .containsOnly(true);
  }

  @Test
  @Spec("IDEM-41")
  default void aDuplicateIsLoggedByTenantAndKeyAndWakesNoPoller() {
    AtomicInteger wakeUps = new AtomicInteger();
    Outbox outbox = builder().onCommit(wakeUps::incrementAndGet).build();
    outbox.enqueue(keyed("acme", "k"));
    try (LogCapture log = LogCapture.of("outbox.messages")) {
      outbox.enqueue(keyed("acme", "k"));

      assertThat(log.debugs())
          .singleElement()
          .asString()
          .contains("OUTBOX_WORKER_DUPLICATE tenant=acme key=k");
    }
    assertThat(wakeUps).hasValue(1);
  }

  @Test
  @SuppressWarnings("NullAway")
  default void aKeyThatCannotBeStoredIsRefusedByName() {
    assertThatThrownBy(() -> keyed("acme", "k".repeat(65)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("idempotencyKey (65 characters)");
    assertThatThrownBy(() -> outbox().findByKey("acme", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("idempotencyKey");
    assertThatThrownBy(() -> new OutboxWriter(outbox()).tryAdd("acme", null, () -> null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("key");
  }

  /** Some databases compare texts without the blanks at their end. */
  @Test
  @Spec({"IDEM-14", "IDEM-16"})
  default void whatDiffersOnlyInABlankAtTheEndIsRefusedInsteadOfTakenForADuplicate() {
    outbox().enqueue(keyed("acme", "k"));

    assertThatThrownBy(() -> outbox().enqueue(keyed("acme", "k ")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("idempotencyKey ends with a blank");
    assertThatThrownBy(() -> outbox().enqueue(keyed("acme ", "k")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tenantId ends with a blank");
    assertThatThrownBy(() -> outbox().findByKey("acme ", "k"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tenantId ends with a blank");
    assertThatThrownBy(() -> outbox().findByKey("acme", "k "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("idempotencyKey ends with a blank");

    assertThat(outbox().enqueue(keyed(" acme", "k")).alreadyExisted()).isFalse();
    assertThat(outbox().enqueue(keyed("acme", " k")).alreadyExisted()).isFalse();
    assertThat(
            outbox()
                .enqueue(EventEnvelope.builder("topic").tenantId("acme ").payloadJson("{}").build())
                .alreadyExisted())
        .isFalse();
    assertThat(claim(ME)).hasSize(4);
  }

  /** The second of each transaction's messages stands for its business rows. */
  @Test
  @Spec({"IDEM-14", "IDEM-17", "IDEM-82"})
  default void parallelInsertsOfAKeyYieldOneRowAndFailNoTransaction() throws Exception {
    int threads = 8;
    int keys = 12;
    CyclicBarrier barrier = new CyclicBarrier(threads);
    List<Callable<Integer>> work = Collections.nCopies(threads, () -> addAll(barrier, keys));
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    int added = 0;
    try {
      for (Future<Integer> result : executor.invokeAll(work)) {
        added += result.get();
      }
    } finally {
      executor.shutdownNow();
    }

    assertThat(added).isEqualTo(keys);
    assertThat(outbox().claim(ME, Duration.ofMinutes(1), 1000)).hasSize(keys + threads * keys);
  }

  private int addAll(CyclicBarrier barrier, int keys) throws Exception {
    AtomicInteger added = new AtomicInteger();
    for (int i = 0; i < keys; i++) {
      String key = "k" + i;
      barrier.await(60, TimeUnit.SECONDS);
      transactions()
          .run(
              connection -> {
                if (!outbox().enqueue(connection, keyed("acme", key)).alreadyExisted()) {
                  added.incrementAndGet();
                }
                outbox().enqueue(connection, "business", "{}");
              });
    }
    return added.get();
  }

  private static EventEnvelope keyed(@Nullable String tenantId, String key) {
    return EventEnvelope.builder("topic")
        .payloadJson("{}")
        .tenantId(tenantId)
        .idempotencyKey(key)
        .build();
  }
}
