package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxMessage;
import outbox.contracts.support.CountingMetrics;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.OptionTable;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.Retries;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxBuilder;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxHandlers;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.inbox.InboxWorkStore;
import outbox.join.JoinCoordinator;
import outbox.join.JoinTracker;
import outbox.join.MessageInsert;
import outbox.model.EventStatus;
import outbox.model.JoinIdentifier;
import outbox.model.MessageId;
import outbox.model.OwnerToken;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.DueListener;
import outbox.testing.memory.InMemoryInboxStore;
import outbox.testing.memory.InMemoryJoinStore;
import outbox.testing.memory.InMemoryOutbox;

/** Each option of the builders of queue, inbox and joins has its default and its effect. */
class QueueOptionsTest extends InMemoryOutbox {
  private static final OwnerToken ME = new OwnerToken("me");
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final InboxKey KEY = new InboxKey("shop", "1");

  static final OptionTable<QueueOptionsTest> OPTIONS =
      new OptionTable<QueueOptionsTest>()
          .of(OutboxBuilder.class)
          .option("txContext(TxContext)", QueueOptionsTest::joinsTheThreadsTransaction)
          .option("onCommit(Runnable)", QueueOptionsTest::onCommit)
          .option("onUnseenCommit(Runnable)", QueueOptionsTest::onUnseenCommit)
          .option("onStoredForLater(DueListener)", QueueOptionsTest::onStoredForLater)
          .option("hotPath(HotPath, MetricsExporter)", QueueOptionsTest::hotPath)
          .option("backoff(RetryPolicy)", QueueOptionsTest::backoff)
          .option("maxAttempts(int)", QueueOptionsTest::maxAttempts)
          .option("maxLeaseExpiries(int)", QueueOptionsTest::maxLeaseExpiries)
          .option("maxPayloadBytes(int)", QueueOptionsTest::maxPayloadBytes)
          .option("propagation(Propagation)", QueueOptionsTest::propagation)
          .option("storeName(String)", QueueOptionsTest::storeName)
          .option("joins(Joins)", QueueOptionsTest::joins)
          .option("codec(PayloadCodec)", QueueOptionsTest::codec)
          .of(InboxBuilder.class)
          .option("onCommit(Runnable)", QueueOptionsTest::inboxOnCommit)
          .option("onUnseenCommit(Runnable)", QueueOptionsTest::inboxOnUnseenCommit)
          .option("onStoredForLater(DueListener)", QueueOptionsTest::inboxOnStoredForLater)
          .option("hotPath(HotPath, MetricsExporter)", QueueOptionsTest::inboxHotPath)
          .option("maxPayloadBytes(int)", QueueOptionsTest::inboxMaxPayloadBytes)
          .option("propagation(Propagation)", QueueOptionsTest::inboxPropagation)
          .option("storeName(String)", QueueOptionsTest::inboxStoreName)
          .option("codec(PayloadCodec)", QueueOptionsTest::inboxCodec)
          .option("workQueue(Consumer)", QueueOptionsTest::inboxWorkQueue)
          .of(JoinCoordinator.Builder.class)
          .option("codec(PayloadCodec)", QueueOptionsTest::joinCodec)
          .option("inserts(MessageInsert)", QueueOptionsTest::joinInserts)
          .option("waitTopic(String)", QueueOptionsTest::joinWaitTopic);

  private final AtomicInteger told = new AtomicInteger();
  private final InMemoryInboxStore inboxStore = new InMemoryInboxStore();

  static Stream<OptionTable.Row<QueueOptionsTest>> options() {
    return OPTIONS.rows();
  }

  @ParameterizedTest
  @MethodSource("options")
  void optionHasItsDefaultAndItsEffect(OptionTable.Row<QueueOptionsTest> option) throws Exception {
    option.experiment().run(this);
  }

  @Test
  void everyOptionHasAnExperiment() {
    OPTIONS.assertComplete();
  }

  private OutboxBuilder builder() {
    return OutboxBuilder.of(connections(), store());
  }

  private void hotPath() {
    CountingMetrics metrics = new CountingMetrics();
    List<String> handled = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry().registerAll(event -> handled.add(event.eventId())));
    MessageId cold = builder().build().enqueue("Any", "{}").id();
    MessageId hot = builder().hotPath(dispatcher, metrics).build().enqueue("Any", "{}").id();
    awaitTrue(() -> handled.equals(List.of(hot.value())));
    assertThat(metrics.hotEnqueued()).isEqualTo(1);
    assertThat(row(cold.value()).orElseThrow().status()).isEqualTo(EventStatus.NEW);
  }

  private void joinsTheThreadsTransaction() {
    Outbox joining = builder().txContext(txContext()).build();
    Outbox alone = builder().build();

    assertThatThrownBy(
            () ->
                transactions()
                    .run(
                        connection -> {
                          joining.enqueue("joining", "{}");
                          alone.enqueue("alone", "{}");
                          throw new IllegalStateException("roll back");
                        }))
        .hasMessage("roll back");

    assertThat(store().findAll())
        .extracting(row -> row.event().eventType())
        .containsExactly("alone");
  }

  private void onCommit() throws Exception {
    Outbox outbox = builder().txContext(txContext()).onCommit(told::incrementAndGet).build();

    outbox.enqueue("topic", "{}");
    assertThat(told).hasValue(1);
    transactions()
        .run(
            connection -> {
              outbox.enqueue("topic", "{}");
              assertThat(told).hasValue(1);
            });
    assertThat(told).hasValue(2);
    assertThatCode(() -> builder().build().enqueue("topic", "{}")).doesNotThrowAnyException();
  }

  private void onUnseenCommit() throws Exception {
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(false);
      builder().build().enqueue(connection, "topic", "{}");
      builder().onUnseenCommit(told::incrementAndGet).build().enqueue(connection, "topic", "{}");
    }
    assertThat(told).hasValue(1);
  }

  private void onStoredForLater() {
    Instant due = Instant.now().plusSeconds(3600).truncatedTo(ChronoUnit.MILLIS);
    List<Object> later = new CopyOnWriteArrayList<>();
    builder().build().enqueue("topic", "{}", facts -> facts.dueAt(due));

    builder()
        .onStoredForLater(noting(later))
        .build()
        .enqueue("topic", "{}", facts -> facts.dueAt(due));

    assertThat(later).containsExactly(due);
  }

  private static DueListener noting(List<Object> later) {
    return new DueListener() {
      @Override
      public void dueAt(Instant due) {
        later.add(due);
      }

      @Override
      public void dueAfter(Duration delay) {
        later.add(delay);
      }
    };
  }

  private void backoff() {
    assertThat(delayOf(builder())).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(20));
    OutboxBuilder fixed = builder().backoff(Retries.fixed(Duration.ofHours(1)).jitter(0).delays());
    assertThat(delayOf(fixed)).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(61));
  }

  /** How long a message is put off by a bare abandon. */
  private Duration delayOf(OutboxBuilder builder) {
    Instant before = Instant.now();
    MessageId id = abandoned(builder, 1);
    return Duration.between(before, row(id.value()).orElseThrow().availableAt());
  }

  /** A message that was claimed and given back so often. */
  private MessageId abandoned(OutboxBuilder builder, int times) {
    Outbox outbox = builder.build();
    MessageId id = outbox.enqueue("topic", "{}").id();
    for (int i = 0; i < times; i++) {
      List<MessageId> claimed = new ArrayList<>();
      do {
        outbox.ack(ME, claimed); // what is left of others, which may come alone
        claimed = outbox.claim(ME, LEASE, 100).stream().map(OutboxMessage::id).toList();
        assertThat(claimed).isNotEmpty();
      } while (!claimed.contains(id));
      outbox.abandon(ME, List.of(id));
      if (i < times - 1) {
        advance(Duration.ofDays(1));
      }
    }
    return id;
  }

  private void maxAttempts() {
    assertThat(statusOf(abandoned(builder(), 9))).isEqualTo(EventStatus.RETRY);
    assertThat(statusOf(abandoned(builder(), 10))).isEqualTo(EventStatus.DEAD);
    assertThat(statusOf(abandoned(builder().maxAttempts(2), 2))).isEqualTo(EventStatus.DEAD);
  }

  private EventStatus statusOf(MessageId id) {
    return row(id.value()).orElseThrow().status();
  }

  private void maxLeaseExpiries() {
    assertThat(statusAfterExpiries(builder(), 3)).isNotEqualTo(EventStatus.DEAD);
    assertThat(statusAfterExpiries(builder(), 4)).isEqualTo(EventStatus.DEAD);
    assertThat(statusAfterExpiries(builder().maxLeaseExpiries(1), 2)).isEqualTo(EventStatus.DEAD);
  }

  /** What becomes of a message whose leases expire under its workers; the first is not counted. */
  private EventStatus statusAfterExpiries(OutboxBuilder builder, int expiries) {
    Outbox outbox = builder.build();
    MessageId id = outbox.enqueue("topic", "{}").id();
    for (int i = 0; i <= expiries; i++) {
      outbox.claim(ME, LEASE, 100);
      advance(LEASE.plusSeconds(1));
    }
    return statusOf(id);
  }

  private void maxPayloadBytes() {
    String largest = "x".repeat(1_048_576);
    builder().build().enqueue("topic", largest);
    assertThatThrownBy(() -> builder().build().enqueue("topic", largest + "x"))
        .isInstanceOf(IllegalArgumentException.class);
    builder().maxPayloadBytes(1_048_577).build().enqueue("topic", largest + "x");
    assertThatThrownBy(() -> builder().maxPayloadBytes(2).build().enqueue("topic", "xxx"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private void propagation() {
    assertThat(headers(builder().propagation(SpiedOutbox.TRACE).build())).contains("of topic");
    assertThat(headers(builder().build())).isEqualTo("{}");
  }

  private String headers(Outbox outbox) {
    MessageId id = outbox.enqueue("topic", "{}").id();
    return EventEnvelope.of(store().find(id.value()).orElseThrow().event()).headers().toString();
  }

  private void storeName() {
    try (LogCapture log = LogCapture.of("outbox")) {
      builder().build().enqueue("topic", "{}");
      assertThat(log.all()).isNotEmpty().noneMatch(line -> line.contains("store="));
      builder().storeName("shop-7").build().enqueue("topic", "{}");
      assertThat(log.all()).anyMatch(line -> line.contains("store=shop-7"));
    }
  }

  private void joins() {
    assertThatThrownBy(() -> builder().build().joins().startJoin("group", 1, null))
        .isInstanceOf(IllegalStateException.class);
    JoinCoordinator joins = joinBuilder().build();

    JoinIdentifier join = builder().joins(joins).build().joins().startJoin("group", 1, null);

    assertThat(joins.find(join)).isPresent();
  }

  private JoinCoordinator.Builder joinBuilder() {
    JoinTracker tracker = new JoinTracker(new InMemoryJoinStore(store()));
    return JoinCoordinator.builder(connections(), store().notifying(tracker), tracker);
  }

  private void joinInserts() {
    List<String> inserted = new CopyOnWriteArrayList<>();
    MessageInsert noting =
        (connection, messages) -> {
          messages.forEach(message -> inserted.add(message.eventType()));
          return MessageInsert.into(store()).insert(connection, messages);
        };
    waitForJoin(joinBuilder().build());
    assertThat(inserted).isEmpty();

    waitForJoin(joinBuilder().inserts(noting).build());

    assertThat(inserted).containsExactly("join.wait");
  }

  private void joinWaitTopic() {
    assertThat(waitForJoin(joinBuilder().build())).isEqualTo("join.wait");
    JoinCoordinator other = joinBuilder().waitTopic("fan.wait").build();
    assertThat(waitForJoin(other)).isEqualTo("fan.wait");
    assertThat(other.waitHandler().topic()).isEqualTo("fan.wait");
  }

  private void codec() {
    Outbox outbox = builder().codec(new NumberCodec()).build();
    MessageId id = outbox.enqueue("topic", 7).id();
    assertThat(store().find(id.value()).orElseThrow().event().payloadJson()).isEqualTo("7");
    assertThatThrownBy(() -> builder().build().enqueue("topic", 7))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("outbox-jackson");
  }

  private void inboxCodec() {
    inbox().codec(new NumberCodec()).build().receive(KEY, "topic", 7);
    assertThat(inbox().buildWorkStore().get(KEY).orElseThrow().payload()).isEqualTo("7");
    assertThatThrownBy(() -> inbox().build().receive(KEY, "topic", 7))
        .isInstanceOf(IllegalStateException.class);
  }

  private void joinCodec() {
    JoinCoordinator joins = joinBuilder().codec(new NumberCodec()).build();
    MessageId step = joins.plan().step("topic", 7).onComplete("next", 8).start().steps().get(0);
    assertThat(store().find(step.value()).orElseThrow().event().payloadJson()).isEqualTo("7");
    assertThatThrownBy(() -> joinBuilder().build().plan().step("topic", 7))
        .isInstanceOf(IllegalStateException.class);
  }

  /** Returns the topic of the wait message. */
  private String waitForJoin(JoinCoordinator joins) {
    JoinIdentifier join = joins.startJoin("group", 1, null);
    MessageId id = joins.enqueueJoinWait(join, true, "next", "{}", null, null);
    return store().find(id.value()).orElseThrow().event().eventType();
  }

  private InboxBuilder inbox() {
    return Inbox.builder(inboxStore.connections(), inboxStore);
  }

  private static InboundMessage message() {
    return InboundMessage.of(KEY, "topic", "{}");
  }

  private void inboxHotPath() {
    CountingMetrics metrics = new CountingMetrics();
    List<String> handled = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(inboxStore.connections(), inboxStore.events())
                .listeners(
                    new InboxHandlers()
                        .register(
                            InboxHandler.of(
                                message().topic(),
                                (message, c) -> handled.add(message.messageId()))))
                .build());
    inbox().hotPath(dispatcher, metrics).build().receive(message());
    awaitTrue(() -> handled.size() == 1);
    assertThat(metrics.hotEnqueued()).isEqualTo(1);
  }

  private void inboxOnCommit() {
    inbox().onCommit(told::incrementAndGet).build().enqueue(message());
    assertThat(told).hasValue(1);
  }

  private void inboxOnUnseenCommit() throws Exception {
    Inbox inbox = inbox().onUnseenCommit(told::incrementAndGet).build();
    try (Connection connection = inboxStore.connections().getConnection()) {
      connection.setAutoCommit(false);
      inbox.enqueue(connection, message());
    }
    assertThat(told).hasValue(1);
  }

  private void inboxOnStoredForLater() {
    List<Object> later = new CopyOnWriteArrayList<>();
    InboxBuilder builder = inbox().onStoredForLater(noting(later));
    Instant due = Instant.now().plusSeconds(3600).truncatedTo(ChronoUnit.MILLIS);

    builder.build().enqueue(InboundMessage.of(KEY, "topic", "{}").withDueTime(due));
    assertThat(later).containsExactly(due);

    InboxWorkStore work = builder.buildWorkStore();
    builder.build().enqueue(InboundMessage.of(new InboxKey("shop", "2"), "topic", "{}"));
    work.abandon(ME, work.claim(ME, LEASE, 10));
    assertThat(later).as("the retry, too").hasSize(2);
  }

  private void inboxMaxPayloadBytes() {
    String largest = "x".repeat(1_048_576);
    inbox().build().enqueue(InboundMessage.of(KEY, "topic", largest));
    assertThatThrownBy(
            () -> inbox().build().enqueue(InboundMessage.of(KEY, "topic", largest + "x")))
        .isInstanceOf(IllegalArgumentException.class);
    Inbox small = inbox().maxPayloadBytes(2).build();
    assertThatThrownBy(() -> small.enqueue(InboundMessage.of(KEY, "topic", "xxx")))
        .isInstanceOf(IllegalArgumentException.class);
    inbox()
        .maxPayloadBytes(1_048_577)
        .build()
        .enqueue(InboundMessage.of(KEY, "topic", largest + "x"));
  }

  private void inboxPropagation() {
    inbox().build().enqueue(message());
    InboxBuilder traced = inbox().propagation(SpiedOutbox.TRACE);
    traced.build().enqueue(InboundMessage.of(new InboxKey("shop", "2"), "topic", "{}"));

    assertThat(traced.buildWorkStore().claim(ME, LEASE, 10))
        .extracting(InboxMessage::headers)
        .containsExactlyInAnyOrder(Map.of(), Map.of("trace", "of topic"));
  }

  private void inboxStoreName() {
    try (LogCapture log = LogCapture.of("outbox")) {
      inbox().build().enqueue(message());
      assertThat(log.all()).isNotEmpty().noneMatch(line -> line.contains("store="));
      InboxBuilder named = inbox().storeName("shop-7");
      named.build().enqueue(InboundMessage.of(new InboxKey("shop", "2"), "topic", "{}"));
      named.buildWorkStore().claim(ME, LEASE, 10);
      assertThat(log.all())
          .anyMatch(line -> line.contains("enqueued") && line.contains("store=shop-7"))
          .anyMatch(line -> line.contains("claimed") && line.contains("store=shop-7"));
    }
  }

  private void inboxWorkQueue() {
    inbox().build().enqueue(message());
    InboxWorkStore impatient = inbox().workQueue(queue -> queue.maxAttempts(1)).buildWorkStore();

    List<InboxMessage> claimed = impatient.claim(ME, LEASE, 10);
    impatient.abandon(ME, claimed);

    assertThat(impatient.get(KEY).orElseThrow().status()).isEqualTo(InboxStatus.DEAD);
    InboxKey other = new InboxKey("shop", "2");
    inbox().build().enqueue(InboundMessage.of(other, "topic", "{}"));
    InboxWorkStore usual = inbox().buildWorkStore();
    usual.abandon(ME, usual.claim(ME, LEASE, 10));
    assertThat(usual.get(other).orElseThrow().status()).isEqualTo(InboxStatus.PROCESSING);
  }
}
