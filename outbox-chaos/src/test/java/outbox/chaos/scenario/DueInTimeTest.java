package outbox.chaos.scenario;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.RetryAfterException;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcInboxes;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcOutboxes;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;

/**
 * Messages stored for later, by every way that there is, on nodes whose pollers have gone to sleep:
 * each is handled at its time, and not at the next poll, which would come seconds later.
 *
 * <p>Three of each kind; 200 with {@code -Doutbox.chaos=full}, which wants a quiet machine: 99 of
 * 100 come within 50 ms.
 */
@Tag("slow")
class DueInTimeTest {
  private static final int EACH = Chaos.events(3, 200);

  /** Pollers that found nothing look after 0.5, 1.5, 3.5, 7.5 and 15.5 s. */
  private static final Duration FIRST = Duration.ofSeconds(8);

  private static final Duration APART = Duration.ofMillis(Chaos.events(300, 30));
  private static final Duration LIMIT = Duration.ofMillis(Chaos.events(3_000, 50));

  private static final OutboxConfig CONFIG =
      new OutboxConfig().setPollerIntervalMs(3_600_000).setLeaseDuration(Duration.ofMinutes(1));

  private final Map<String, Instant> due = new ConcurrentHashMap<>();
  private final Map<String, Duration> late = new ConcurrentHashMap<>();

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES_NEWEST", "MARIADB", "MYSQL", "H2"})
  void messagesStoredForLaterAreHandledAtTheirTime(Product product) throws Exception {
    try (TestDatabase one = TestDatabase.create(product);
        TestDatabase among = TestDatabase.create(product)) {
      for (TestDatabase database : List.of(one, among)) {
        OutboxSchema.of(database.dataSource()).deploy();
        InboxSchema.of(database.dataSource()).deploy();
      }
      try (JdbcOutbox outbox =
              JdbcOutbox.builder(one.dataSource())
                  .config(CONFIG)
                  .listenerOfAll(this::handle)
                  .start();
          JdbcInbox inbox =
              JdbcInbox.builder(one.dataSource())
                  .config(CONFIG)
                  .handler("later", (message, context) -> handled(message.payload()))
                  .start();
          JdbcOutboxes outboxes =
              JdbcOutboxes.builder()
                  .database("one", among.dataSource())
                  .config(CONFIG)
                  .listenerOfAll(this::handle)
                  .start();
          JdbcInboxes inboxes =
              JdbcInboxes.builder()
                  .database("one", among.dataSource())
                  .config(CONFIG)
                  .handler("later", (message, context) -> handled(message.payload()))
                  .start()) {
        Instant first = Instant.now().plus(FIRST);
        for (int i = 0; i < EACH; i++) {
          Instant at = first.plus(APART.multipliedBy(i));
          outbox.inTransaction(
              connection ->
                  outbox.publish(
                      EventEnvelope.builder("later")
                          .payloadJson(expected("published", at))
                          .dueAt(at)
                          .build()));
          outbox.queue().enqueue("later", expected("enqueued", at), facts -> facts.dueAt(at));
          String failing = expected("tried again", at);
          outbox.inTransaction(
              connection -> outbox.publish(EventEnvelope.ofJson("failing", failing)));
          inbox.enqueue(
              InboundMessage.of(new InboxKey("test", "m" + i), "later", expected("received", at))
                  .withDueTime(at));
          outboxes
              .getOutbox("one")
              .enqueue("later", expected("among many", at), facts -> facts.dueAt(at));
          outboxes.getOutbox("one").enqueue("failing", expected("tried among many", at));
          inboxes
              .getInbox("one")
              .enqueue(
                  InboundMessage.of(
                          new InboxKey("test", "m" + i),
                          "later",
                          expected("received among many", at))
                      .withDueTime(at));
        }
        await().atMost(Chaos.PATIENCE).until(() -> late.size() == due.size());
      }
    }
    report(product);
    assertThat(percentile(99)).isLessThan(LIMIT);
  }

  private String expected(String kind, Instant at) {
    String payload = "\"" + kind + " " + at.toEpochMilli() + "\"";
    due.put(payload, at);
    return payload;
  }

  private void handle(EventEnvelope event) {
    String payload = requireNonNull(event.payloadJson());
    Instant at = requireNonNull(due.get(payload));
    Instant now = Instant.now();
    if (event.eventType().equals("failing") && now.isBefore(at.minusMillis(20))) {
      throw new RetryAfterException(Duration.between(now, at), "not yet");
    }
    handled(payload);
  }

  private void handled(String payload) {
    late.put(payload, Duration.between(requireNonNull(due.get(payload)), Instant.now()));
  }

  private Duration percentile(int percent) {
    List<Duration> all = new ArrayList<>(late.values());
    Collections.sort(all);
    return all.get((all.size() * percent + 99) / 100 - 1);
  }

  private void report(Product product) {
    Map<String, Duration> worst =
        late.entrySet().stream()
            .collect(
                toMap(
                    entry -> entry.getKey().replaceAll("[\" 0-9]+$", "").replace("\"", ""),
                    Map.Entry::getValue,
                    (one, other) -> one.compareTo(other) > 0 ? one : other));
    Chaos.report(
        String.format(
            "%s: %d messages stored for later, late by %d ms (median), %d ms (99 of 100), worst %s",
            product, late.size(), percentile(50).toMillis(), percentile(99).toMillis(), worst));
  }
}
