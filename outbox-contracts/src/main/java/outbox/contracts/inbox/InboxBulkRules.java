package outbox.contracts.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.contracts.inbox.InboxUnderTest.bytes;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.inbox.InboxStore.Arrival;
import outbox.inbox.InboxStore.Receipt;
import outbox.inbox.ReceiveResult;
import outbox.inbox.ReceiveResult.Kind;
import outbox.spi.LeasedEventStore.Lease;

/** Many messages that come in by one call. */
interface InboxBulkRules extends InboxUnderTest {

  private static InboxKey key(String source, int number) {
    return new InboxKey(source, "message-" + number);
  }

  private static List<InboundMessage> messages(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(i -> InboundMessage.of(key(i % 2 == 0 ? "a" : "b", i), "topic", "{" + i + "}"))
        .toList();
  }

  private static List<Kind> kinds(List<ReceiveResult> results) {
    return results.stream().map(ReceiveResult::kind).toList();
  }

  @Test
  default void eachOfManyMessagesIsWhatItWouldBeAlone() {
    List<InboxKey> keys = IntStream.range(0, 6).mapToObj(i -> key("shop", i)).toList();
    keys.subList(1, 5).forEach(key -> enqueue(key, "{}"));
    inbox().markProcessed(keys.get(2));
    inbox().markDead(keys.get(3));
    inbox().alreadyProcessed(keys.get(5), null);

    List<ReceiveResult> results =
        inbox()
            .receiveAll(
                List.of(
                    InboundMessage.of(keys.get(0), "topic", "{}"),
                    InboundMessage.of(keys.get(1), "topic", "{}"),
                    InboundMessage.of(keys.get(2), "topic", "{}"),
                    InboundMessage.of(keys.get(3), "topic", "{}"),
                    InboundMessage.of(keys.get(4), "topic", "{\"other\":1}"),
                    InboundMessage.of(keys.get(5), "topic", "{\"first\":1}")));

    assertThat(results)
        .containsExactly(
            new ReceiveResult(Kind.NEW, false),
            new ReceiveResult(Kind.DUPLICATE, false),
            new ReceiveResult(Kind.DONE, false),
            new ReceiveResult(Kind.DEAD, false),
            new ReceiveResult(Kind.DUPLICATE, true),
            new ReceiveResult(Kind.NEW, false));
    assertThat(stored(keys.get(4)).payload()).isEqualTo("{}");
    assertThat(stored(keys.get(5)).payload()).isEqualTo("{\"first\":1}");
  }

  @Test
  default void contentIsComparedByHashWhereBothHaveOne() {
    InboundMessage hashed = InboundMessage.of(KEY, "topic", "{}").withHash(bytes("one"));
    InboxKey plain = key("shop", 2);
    inbox().receiveAll(List.of(hashed, InboundMessage.of(plain, "topic", "{}")));

    assertThat(
            inbox()
                .receiveAll(
                    List.of(
                        InboundMessage.of(KEY, "topic", "{\"same\":1}").withHash(bytes("one")),
                        InboundMessage.of(plain, "topic", "{}").withHash(bytes("two")))))
        .containsExactly(
            new ReceiveResult(Kind.DUPLICATE, false), new ReceiveResult(Kind.DUPLICATE, false));
    assertThat(
            inbox()
                .receiveAll(
                    List.of(
                        InboundMessage.of(KEY, "topic", "{}").withHash(bytes("two")),
                        InboundMessage.of(plain, "topic", "{\"other\":1}"))))
        .containsExactly(
            new ReceiveResult(Kind.DUPLICATE, true), new ReceiveResult(Kind.DUPLICATE, true));
  }

  @Test
  default void aKeyThatIsGivenTwiceIsNewOnce() {
    List<ReceiveResult> results =
        inbox()
            .receiveAll(
                List.of(
                    InboundMessage.of(KEY, "topic", "{}"),
                    InboundMessage.of(key("shop", 2), "topic", "{}"),
                    InboundMessage.of(KEY, "topic", "{}"),
                    InboundMessage.of(KEY, "topic", "{\"other\":1}")));

    assertThat(results)
        .containsExactly(
            new ReceiveResult(Kind.NEW, false),
            new ReceiveResult(Kind.NEW, false),
            new ReceiveResult(Kind.DUPLICATE, false),
            new ReceiveResult(Kind.DUPLICATE, true));
    assertThat(stored(KEY).payload()).isEqualTo("{}");
    assertThat(claim(ME)).hasSize(2);
  }

  @Test
  default void moreMessagesThanAStatementTakesAreAllStored() {
    List<InboundMessage> many = messages(0, 1200);

    assertThat(kinds(inbox().receiveAll(many))).hasSize(1200).containsOnly(Kind.NEW);
    List<Kind> again = kinds(inbox().receiveAll(messages(600, 1800)));
    assertThat(again.subList(0, 600)).containsOnly(Kind.DUPLICATE);
    assertThat(again.subList(600, 1200)).containsOnly(Kind.NEW);
    assertThat(stored(key("b", 1799)).payload()).isEqualTo("{1799}");
  }

  @Test
  default void noMessagesAtAllAreNoWork() throws SQLException {
    assertThat(inbox().receiveAll(List.of())).isEmpty();
    try (Connection connection = begun()) {
      assertThat(inbox().receiveAll(connection, List.of())).isEmpty();
    }
  }

  @Test
  default void whatBelongsToAMessageComesWithIt() {
    Instant due = now().plus(Duration.ofHours(1)).truncatedTo(ChronoUnit.MILLIS);
    inbox()
        .receiveAll(
            List.of(
                InboundMessage.of(KEY, "one", "{\"a\":\"ä\"}")
                    .withHash(bytes("hash"))
                    .withDueTime(due)
                    .withHeaders(Map.of("tenant", "acme")),
                InboundMessage.of(key("shop", 2), "two", "{}")));

    InboxMessage first = stored(KEY);
    assertThat(first.topic()).isEqualTo("one");
    assertThat(first.payload()).isEqualTo("{\"a\":\"ä\"}");
    assertThat(first.hash()).isEqualTo(bytes("hash"));
    assertThat(first.dueTime()).isEqualTo(due);
    assertThat(first.headers()).containsExactly(Map.entry("tenant", "acme"));
    InboxMessage second = claimOnly(ME);
    assertThat(second.key()).isEqualTo(key("shop", 2));
    assertThat(second.topic()).isEqualTo("two");
    assertThat(second.hash()).isNull();
    assertThat(second.dueTime()).isNull();
  }

  @Test
  default void aRolledBackTransactionBringsNoneOfThem() throws SQLException {
    try (Connection connection = begun()) {
      assertThat(kinds(inbox().receiveAll(connection, messages(0, 3)))).containsOnly(Kind.NEW);
      connection.rollback();
    }
    assertThat(kinds(inbox().receiveAll(messages(0, 3)))).containsOnly(Kind.NEW);
  }

  @Test
  default void oneThatIsRefusedBringsNoneOfThem() {
    List<InboundMessage> messages = new ArrayList<>(messages(0, 2));
    messages.add(InboundMessage.of(KEY, "topic", "x".repeat(2 << 20)));

    assertThatThrownBy(() -> inbox().receiveAll(messages))
        .isInstanceOf(IllegalArgumentException.class);

    assertThat(claim(ME)).isEmpty();
  }

  @Test
  default void eachMessageIsInsertedWithItsOwnLease() {
    Lease lease = new Lease("me", LEASE);
    List<Arrival> arrivals =
        List.of(
            new Arrival(InboundMessage.of(KEY, "topic", "{}"), store().newEventId(KEY), lease),
            new Arrival(
                InboundMessage.of(key("shop", 2), "topic", "{}"),
                store().newEventId(key("shop", 2)),
                null));

    List<Receipt> receipts =
        connections().inAutoCommit(connection -> store().receiveAll(connection, arrivals));

    assertThat(receipts).allMatch(Receipt::inserted);
    assertThat(owner(KEY)).isEqualTo("me");
    assertThat(owner(key("shop", 2))).isNull();
    assertThat(claimOnly(OTHER).key()).isEqualTo(key("shop", 2));
    Map<InboxKey, String> ids =
        connections().inAutoCommit(connection -> store().eventIds(connection, List.of(KEY)));
    assertThat(ids).containsEntry(KEY, arrivals.get(0).eventId());
  }

  @Test
  default void callsThatMeetInTheSameKeysDoNotStandInEachOthersWay() throws Exception {
    int callers = 4;
    ExecutorService threads = Executors.newFixedThreadPool(callers);
    try {
      for (int round = 0; round < 10; round++) {
        int from = round * 40;
        CyclicBarrier together = new CyclicBarrier(callers);
        List<Callable<List<ReceiveResult>>> calls = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
          List<InboundMessage> mine = new ArrayList<>(messages(from, from + 40));
          Collections.shuffle(mine);
          calls.add(
              () -> {
                together.await();
                return inbox().receiveAll(mine);
              });
        }
        int fresh = 0;
        for (Future<List<ReceiveResult>> call : threads.invokeAll(calls)) {
          fresh += Collections.frequency(kinds(call.get(60, TimeUnit.SECONDS)), Kind.NEW);
        }
        assertThat(fresh).isEqualTo(40);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  default void aMessageThatWasSeenOnlyGetsItsContentWithTheOthers() {
    inbox().alreadyProcessed(KEY, bytes("hash"));

    assertThat(kinds(inbox().receiveAll(List.of(InboundMessage.of(KEY, "topic", "{}")))))
        .containsExactly(Kind.NEW);

    assertThat(status(KEY)).isEqualTo(InboxStatus.PROCESSING);
    assertThat(claimOnly(ME).payload()).isEqualTo("{}");
  }
}
