package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.Claimed;
import outbox.spi.LeasedEventStore.Failure;
import outbox.spi.LeasedEventStore.Lease;

@org.jspecify.annotations.NullUnmarked
abstract class StoreSmoke {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  final JdbcOutboxRepository store = new JdbcOutboxRepository();

  abstract DataSource dataSource() throws Exception;

  @BeforeEach
  void clean() throws Exception {
    OutboxSchema.of(dataSource()).deploy();
    OutboxSchema.of(dataSource()).deploy();
    try (Connection c = dataSource().getConnection();
        Statement s = c.createStatement()) {
      s.execute("DELETE FROM outbox_event");
    }
  }

  ClaimRequest request(String owner, int limit, Instant after) {
    return new ClaimRequest(owner, MINUTE, limit, 1 << 20, after, Duration.ofSeconds(1));
  }

  @Test
  void wholeLife() throws Exception {
    try (Connection c = dataSource().getConnection()) {
      store.check(c);
      Instant due = Instant.now().minusSeconds(5).truncatedTo(ChronoUnit.MICROS);
      EventEnvelope a =
          EventEnvelope.builder("Type")
              .aggregateId("a\uD83D\uDE00")
              .header("k", "v\uD83D\uDE00\"")
              .header("b", "")
              .payloadJson("")
              .dueAt(due)
              .occurredAt(due)
              .correlationId("corr")
              .build();
      byte[] bytes = new byte[3 << 20];
      Arrays.fill(bytes, (byte) 0xfe);
      EventEnvelope b =
          EventEnvelope.builder("Type").maxPayloadBytes(4 << 20).payloadBytes(bytes).build();
      String text = "\uD83D\uDE00x".repeat(500_000);
      EventEnvelope d =
          EventEnvelope.builder("Type").maxPayloadBytes(4 << 20).payloadJson(text).build();
      EventEnvelope leased = EventEnvelope.ofJson("Type", "{}");
      EventEnvelope later =
          EventEnvelope.builder("T")
              .payloadJson("x")
              .dueAt(Instant.now().plusSeconds(3600))
              .build();
      store.insertNew(c, a);
      store.insertNew(c, b);
      store.insertNew(c, d);
      store.insert(c, leased, new Lease("me", MINUTE));
      store.insertNew(c, later);

      assertThat(store.pollPending(c, Instant.now().plusSeconds(2), Duration.ZERO, 10))
          .hasSize(3)
          .allSatisfy(e -> assertThat(e.toEnvelope()).isNotNull());
      Claimed first = store.claim(c, request("o1", 10, null));
      assertThat(first.events()).hasSize(2);
      assertThat(first.watermark()).isNotNull();
      assertThat(first.events().get(0).suspect()).isFalse();
      EventEnvelope back = first.events().get(0).event().toEnvelope();
      assertThat(back.payloadJson()).isEmpty();
      assertThat(back.headers()).isEqualTo(a.headers());
      assertThat(back.dueAt()).isEqualTo(due);
      assertThat(back.occurredAt()).isEqualTo(due);
      assertThat(back.correlationId()).isEqualTo("corr");
      assertThat(back.aggregateId()).isEqualTo("a\uD83D\uDE00");
      assertThat(
              Math.abs(
                  ChronoUnit.SECONDS.between(
                      first.events().get(0).event().createdAt(), Instant.now())))
          .isLessThan(20);
      assertThat(first.events().get(1).event().payloadBytes()).isEqualTo(bytes);
      Claimed second = store.claim(c, request("o2", 10, first.watermark()));
      assertThat(second.events()).hasSize(1);
      assertThat(second.events().get(0).event().payloadJson()).isEqualTo(text);
      assertThat(store.claim(c, request("o3", 10, null)).events()).isEmpty();
      assertThat(store.claim(c, request("o3", 10, Instant.now().plusSeconds(1000))).events())
          .isEmpty();

      assertThat(store.ack(c, "o2", List.of(a.eventId(), d.eventId(), "nope")))
          .containsExactly(d.eventId());
      assertThat(store.inspect(c, List.of(d.eventId(), leased.eventId(), "nope")))
          .hasSize(2)
          .satisfies(m -> assertThat(m.get(d.eventId()).status()).isEqualTo(EventStatus.DONE))
          .satisfies(m -> assertThat(m.get(d.eventId()).processedBy()).isEqualTo("o2"))
          .satisfies(m -> assertThat(m.get(leased.eventId()).owner()).isEqualTo("me"));
      assertThat(store.renew(c, "o1", List.of(a.eventId()), MINUTE)).hasSize(1);
      assertThat(store.markStarted(c, "o1", List.of(a.eventId()), Duration.ZERO)).hasSize(1);
      var again = store.claimById(c, "o4", Duration.ZERO, List.of(a.eventId(), b.eventId()));
      assertThat(again).hasSize(1);
      assertThat(again.get(0).suspect()).isTrue();
      assertThat(again.get(0).leaseExpiries()).isEqualTo(1);
      assertThat(store.reapExpired(c, Duration.ZERO, 10)).isEqualTo(1);
      assertThat(store.defer(c, "o4", List.of(a.eventId()), MINUTE)).isEmpty();
      assertThat(
              store.abandon(
                  c,
                  "o1",
                  List.of(
                      new Failure(b.eventId(), Duration.ZERO, "e\0\uD83D\uDE00".repeat(3000)),
                      new Failure(a.eventId(), Duration.ZERO, "x"))))
          .containsExactly(b.eventId());
      Claimed third = store.claim(c, request("o5", 10, null));
      assertThat(third.events()).hasSize(2);
      assertThat(third.events().get(0).suspect()).isTrue();
      assertThat(third.events().get(1).event().attempts()).isEqualTo(1);
      assertThat(store.fail(c, "o5", List.of(new Failure(b.eventId(), Duration.ZERO, "bad"))))
          .hasSize(1);
      assertThat(store.defer(c, "o5", List.of(a.eventId()), Duration.ZERO)).hasSize(1);
      assertThat(store.claim(c, request("o5", 10, null)).events()).hasSize(1);
      assertThat(store.markRetry(c, a.eventId(), Instant.now(), null)).isEqualTo(1);
      assertThat(store.markDead(c, a.eventId(), "x")).isEqualTo(1);
      assertThat(store.markDone(c, a.eventId())).isEqualTo(1);
      assertThat(store.markDone(c, a.eventId())).isZero();
      assertThat(c.getAutoCommit()).isTrue();
    }
  }

  @Test
  void manyIdsAndLockedRows() throws Exception {
    try (Connection c = dataSource().getConnection();
        Connection other = dataSource().getConnection()) {
      List<String> ids = new ArrayList<>();
      c.setAutoCommit(false);
      for (int i = 0; i < 1200; i++) {
        EventEnvelope e = EventEnvelope.ofJson("T", "{}");
        ids.add(e.eventId());
        store.insert(c, e, new Lease("me", MINUTE));
      }
      c.commit();
      c.setAutoCommit(true);
      other.setAutoCommit(false);
      try (Statement s = other.createStatement()) {
        s.executeUpdate(
            "UPDATE outbox_event SET attempts = 3 WHERE event_id = '" + ids.get(0) + "'");
      }
      Set<String> acked = store.ack(c, "me", ids);
      other.rollback();
      assertThat(acked).hasSize(1199).doesNotContain(ids.get(0));
    }
  }

  @Test
  void competingClaims() throws Exception {
    try (Connection c = dataSource().getConnection()) {
      for (int i = 0; i < 400; i++) {
        store.insertNew(c, EventEnvelope.ofJson("T", "{}"));
      }
    }
    List<CompletableFuture<List<String>>> all = new ArrayList<>();
    for (int w = 0; w < 4; w++) {
      String owner = "w" + w;
      all.add(
          CompletableFuture.supplyAsync(
              () -> {
                List<String> mine = new ArrayList<>();
                try (Connection c = dataSource().getConnection()) {
                  int empty = 0;
                  while (empty < 3) {
                    Claimed claimed = store.claim(c, request(owner, 7, null));
                    empty = claimed.events().isEmpty() ? empty + 1 : 0;
                    List<String> ids =
                        claimed.events().stream().map(e -> e.event().eventId()).toList();
                    mine.addAll(ids);
                    Set<String> acked = store.ack(c, owner, ids);
                    List<String> missing = new ArrayList<>(ids);
                    missing.removeAll(acked);
                    if (!missing.isEmpty()) {
                      System.out.println(
                          owner
                              + " missed "
                              + store.inspect(c, missing)
                              + " retry "
                              + store.ack(c, owner, ids));
                    }
                  }
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
                return mine;
              }));
    }
    List<String> total = new ArrayList<>();
    for (var f : all) {
      total.addAll(f.get());
    }
    assertThat(total.size() + " " + Set.copyOf(total).size()).isEqualTo("400 400");
  }

  @Test
  void byteBound() throws Exception {
    try (Connection c = dataSource().getConnection()) {
      for (int i = 0; i < 5; i++) {
        store.insertNew(c, EventEnvelope.ofJson("T", "x".repeat(100)));
      }
      assertThat(store.claim(c, new ClaimRequest("o", MINUTE, 10, 1, null, Duration.ZERO)).events())
          .hasSize(1);
      assertThat(
              store.claim(c, new ClaimRequest("o", MINUTE, 10, 101, null, Duration.ZERO)).events())
          .hasSize(2);
    }
  }
}
