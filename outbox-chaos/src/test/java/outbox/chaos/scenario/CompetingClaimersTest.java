package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.chaos.scenario.Grants.End;
import outbox.contracts.support.Spec;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;

/**
 * Eight claimers empty one queue; each of them forgets a batch now and then. No message is handed
 * out while a lease of it lives, each is acknowledged once, none is left.
 *
 * <p>4,000 messages; 50,000 with {@code -Doutbox.chaos=full}.
 */
@Tag("slow")
class CompetingClaimersTest {
  private static final int MESSAGES = Chaos.events(4_000, 50_000);
  private static final int CLAIMERS = 8;
  private static final Duration LEASE = Duration.ofSeconds(5);

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES_NEWEST", "MARIADB", "MYSQL"})
  @Spec({"OBX-011", "OBX-013", "OBX-045", "OBX-094", "OBX-095"})
  void noMessageIsHandedOutWhileItsLeaseLivesAndNoneIsLeft(Product product) throws Exception {
    try (TestDatabase database = TestDatabase.create(product)) {
      OutboxSchema.of(database.dataSource()).deploy();
      Outbox outbox =
          OutboxBuilder.of(
                  new DataSourceConnectionProvider(database.dataSource()),
                  new JdbcOutboxRepository())
              .maxLeaseExpiries(MESSAGES)
              .build();
      enqueue(outbox);
      Grants grants = new Grants(LEASE);

      long start = System.nanoTime();
      run(outbox, grants);
      double seconds = (System.nanoTime() - start) / 1e9;

      grants.assertNoTwoAtOnce();
      assertThat(grants.acknowledged()).isEqualTo(MESSAGES);
      assertThat(grants.messages()).isEqualTo(MESSAGES);
      Chaos.report(
          String.format(
              "%s: %d claimers, %d messages in %.1f s, %.0f/s; given back %d, forgotten %d",
              product,
              CLAIMERS,
              MESSAGES,
              seconds,
              MESSAGES / seconds,
              grants.count(End.GIVEN_BACK),
              grants.count(End.NONE)));
    }
  }

  private static void enqueue(Outbox outbox) {
    outbox.enqueueAll(
        IntStream.range(0, MESSAGES).mapToObj(i -> EventEnvelope.ofJson("topic", "{}")).toList());
  }

  private static void run(Outbox outbox, Grants grants) throws Exception {
    List<Callable<Integer>> claimers = new ArrayList<>();
    for (int i = 0; i < CLAIMERS; i++) {
      claimers.add(new ForgetfulClaimer(outbox, grants, LEASE, MESSAGES));
    }
    ExecutorService executor = Executors.newFixedThreadPool(CLAIMERS);
    try {
      for (Future<Integer> claimer : executor.invokeAll(claimers)) {
        assertThat(claimer.get()).isPositive();
      }
    } finally {
      executor.shutdownNow();
    }
  }
}
