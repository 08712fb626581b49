package outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PostPersist;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.EventEnvelope;
import outbox.HandlerContext;
import outbox.HandlerResult;
import outbox.OutboxConfig;
import outbox.OutboxMessage;
import outbox.TransactionalOutboxHandler;
import outbox.jdbc.JdbcOutbox;

/** What the application does around a commit is not the silence of the database. */
@Tag("slow")
class LongCommitTest {
  private static final Duration NETWORK_TIMEOUT = Duration.ofMillis(500);
  private static final Duration LEASE = Duration.ofSeconds(3);

  /** Longer than the network timeout, and than a lease that is not renewed. */
  private static final Duration LONG = Duration.ofSeconds(4);

  private static final List<String> ENDS = new CopyOnWriteArrayList<>();

  private final HikariDataSource dataSource = TestDatabases.h2();
  private final List<String> attempts = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    dataSource.close();
    ENDS.clear();
  }

  @ParameterizedTest
  @EnumSource(names = {"JDBC", "JPA"})
  void longCallbacksAroundTheCommitAreNotInterrupted(BusinessTable.Kind framework) {
    BusinessTable orders = framework.on(dataSource);

    handle(
        orders,
        () -> TransactionSynchronizationManager.registerSynchronization(new LongCallbacks()),
        2);

    assertThat(ENDS).containsExactly("beforeCommit ended", "afterCommit ended");
  }

  @ParameterizedTest
  @EnumSource(names = {"JDBC", "JPA"})
  void anEventIsHandledAgainAlthoughACallbackAfterTheCommitThrew(BusinessTable.Kind framework) {
    BusinessTable orders = framework.on(dataSource);
    try (orders;
        JdbcOutbox outbox = settings(orders).transactionalHandler(new DeferringOnce()).start()) {
      publish(orders, outbox);

      await().atMost(Duration.ofSeconds(60)).until(() -> done() == 1);
    }
    assertThat(attempts).hasSize(2);
  }

  @Test
  void longFlushAtTheCommitIsNotInterrupted() {
    BusinessTable.Jpa orders = BusinessTable.Jpa.on(dataSource);
    EntityManagerFactory factory = orders.factory();

    handle(
        orders,
        () ->
            SharedEntityManagerCreator.createSharedEntityManager(factory).persist(new SlowRow("a")),
        1);

    assertThat(ENDS).containsExactly("flush ended");
  }

  private void handle(BusinessTable orders, Runnable work, int ends) {
    try (orders;
        JdbcOutbox outbox = start(orders, work)) {
      publish(orders, outbox);

      await().atMost(Duration.ofSeconds(60)).until(() -> done() == 1 && ENDS.size() >= ends);
    }
    assertThat(attempts).hasSize(1);
  }

  private static void publish(BusinessTable orders, JdbcOutbox outbox) {
    new TransactionTemplate(orders.transactionManager())
        .executeWithoutResult(status -> outbox.publish(EventEnvelope.ofJson("long", "{}")));
  }

  private JdbcOutbox start(BusinessTable orders, Runnable work) {
    return settings(orders)
        .transactionalListener(
            "long",
            (event, connection) -> {
              attempts.add(event.eventId());
              work.run();
            })
        .start();
  }

  private JdbcOutbox.Builder settings(BusinessTable orders) {
    return JdbcOutbox.builder(dataSource)
        .createSchema()
        .config(
            new OutboxConfig()
                .setPollerIntervalMs(100)
                .setRetryBaseDelayMs(1)
                .setLeaseDuration(LEASE)
                .setNetworkTimeout(NETWORK_TIMEOUT))
        .transactions(
            new SpringTxContext(dataSource),
            new SpringTransactionRunner(orders.transactionManager(), dataSource));
  }

  private int done() {
    Integer done =
        new JdbcTemplate(dataSource)
            .queryForObject("SELECT count(*) FROM outbox_event WHERE status = 1", Integer.class);
    return done == null ? 0 : done;
  }

  /** Takes its time, unless it is interrupted. */
  private static void takeLong(String what) {
    try {
      boolean unused = new CountDownLatch(1).await(LONG.toMillis(), TimeUnit.MILLISECONDS);
      ENDS.add(what + " ended");
    } catch (InterruptedException e) {
      ENDS.add(what + " interrupted");
    }
  }

  private static final class LongCallbacks implements TransactionSynchronization {
    @Override
    public void beforeCommit(boolean readOnly) {
      takeLong("beforeCommit");
    }

    @Override
    public void afterCommit() {
      takeLong("afterCommit");
    }
  }

  /** Is put off by its first transaction, whose callback throws after the commit. */
  private final class DeferringOnce implements TransactionalOutboxHandler {
    @Override
    public String topic() {
      return "long";
    }

    @Override
    public HandlerResult handle(
        OutboxMessage message, HandlerContext context, Connection connection) {
      attempts.add(message.id().value());
      TransactionSynchronizationManager.registerSynchronization(new Throwing());
      return attempts.size() == 1
          ? HandlerResult.deferred(Duration.ofMillis(1))
          : HandlerResult.done();
    }
  }

  private static final class Throwing implements TransactionSynchronization {
    @Override
    public void afterCommit() {
      throw new IllegalStateException("the callback failed");
    }
  }

  /** A row whose insert takes long. */
  @Entity
  static class SlowRow {
    @Id String id = "";

    protected SlowRow() {}

    SlowRow(String id) {
      this.id = id;
    }

    @PostPersist
    void persisted() {
      takeLong("flush");
    }
  }
}
