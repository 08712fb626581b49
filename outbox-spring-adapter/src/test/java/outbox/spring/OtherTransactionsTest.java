package outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.jdbc.JdbcOutbox;

/** Transactions of another data source on the same thread. */
@ParameterizedClass(name = "watching={0}")
@ValueSource(booleans = {true, false})
class OtherTransactionsTest {
  private final HikariDataSource dataSource = withoutAutoCommit(TestDatabases.h2());
  private final HikariDataSource other = TestDatabases.h2();
  private final DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
  private final TransactionTemplate ours = new TransactionTemplate(manager);
  private final TransactionTemplate theirs =
      new TransactionTemplate(new DataSourceTransactionManager(other));
  private final List<String> handled = new CopyOnWriteArrayList<>();
  private final SpringTxContext context = new SpringTxContext(dataSource);
  private final JdbcOutbox outbox;

  OtherTransactionsTest(boolean watching) {
    if (watching) {
      context.watch(manager);
    }
    this.outbox =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .config(
                new OutboxConfig()
                    .setDispatcherWorkers(1)
                    .setPollerIntervalMs(100)
                    .setLeaseDuration(Duration.ofSeconds(1)))
            .transactions(context, new SpringTransactionRunner(manager, dataSource))
            .listener("placed", event -> handled.add(String.valueOf(event.payloadJson())))
            .start();
  }

  /** Where the connection's own mode would give a borrowed one away, this is easy. */
  private static HikariDataSource withoutAutoCommit(HikariDataSource pool) {
    HikariDataSource other = new HikariDataSource();
    other.setJdbcUrl(pool.getJdbcUrl());
    other.setUsername(pool.getUsername());
    other.setAutoCommit(false);
    pool.close();
    return other;
  }

  @AfterEach
  void close() {
    outbox.close();
    dataSource.close();
    other.close();
  }

  @Test
  void publishInTransactionOfAnotherDataSourceIsRefused() {
    assertThatThrownBy(() -> theirs.executeWithoutResult(status -> publish("a")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is not one of the outbox's data source");
  }

  @Test
  void connectionBorrowedInsideAnotherTransactionIsNone() {
    assertThatThrownBy(
            () ->
                theirs.executeWithoutResult(
                    status -> {
                      readOutboxTable();
                      publish("a");
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is not one of the outbox's data source");
  }

  @Test
  void connectionOfAnotherTransactionIsNotTheCurrentOne() {
    theirs.executeWithoutResult(
        status -> {
          Connection connection = DataSourceUtils.getConnection(other);
          assertThat(context.isCurrent(connection)).isFalse();
        });
  }

  @Test
  void innerTransactionOfAnotherDataSourceDoesNotReleaseEventsOfTheOuterOne() {
    ours.executeWithoutResult(
        outer -> {
          theirs.executeWithoutResult(inner -> publish("a"));
          outer.setRollbackOnly();
        });

    assertThat(handledBeforeMark()).isEmpty();
  }

  @Test
  void eventPublishedInsideAnInnerTransactionOfAnotherDataSourceIsDelivered() {
    ours.executeWithoutResult(outer -> theirs.executeWithoutResult(inner -> publish("a")));

    await().atMost(Duration.ofSeconds(30)).until(() -> handled.contains("a"));
  }

  @Test
  void transactionInsideOneOfAnotherDataSourcePublishes() {
    theirs.executeWithoutResult(outer -> ours.executeWithoutResult(inner -> publish("a")));

    await().atMost(Duration.ofSeconds(30)).until(() -> handled.contains("a"));
  }

  @Test
  void runnerWithTheManagerOfAnotherDataSourceRunsNothing() {
    SpringTransactionRunner wrong =
        new SpringTransactionRunner(new DataSourceTransactionManager(other), dataSource);

    assertThatThrownBy(() -> wrong.run(connection -> handled.add("ran")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is not that of its data source");
    assertThat(handled).isEmpty();
  }

  private void readOutboxTable() {
    new JdbcTemplate(dataSource).queryForObject("SELECT count(*) FROM outbox_event", Long.class);
  }

  private void publish(String id) {
    outbox.publish(EventEnvelope.ofJson("placed", id));
  }

  /** One worker handles hot events in their order: what was handed over before is handled. */
  private List<String> handledBeforeMark() {
    ours.executeWithoutResult(status -> publish("mark"));
    await().atMost(Duration.ofSeconds(30)).until(() -> handled.contains("mark"));
    return handled.stream().filter(id -> !id.equals("mark")).toList();
  }
}
