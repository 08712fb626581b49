package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionOperations;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.inbox.InboxKey;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;

class ShutdownTest {
  private static final int EVENTS = 50;

  @Test
  void worksOffWhatIsQueuedBeforeThePoolCloses() throws Exception {
    String url = "jdbc:h2:mem:shutdown;DB_CLOSE_DELAY=-1";
    ConfigurableApplicationContext context = start(url);
    Slow slow = context.getBean(Slow.class);
    OutboxClient client = context.getBean(OutboxClient.class);
    context
        .getBean(TransactionOperations.class)
        .executeWithoutResult(
            status -> {
              for (int i = 0; i < EVENTS; i++) {
                client.publish(EventEnvelope.ofJson("slow", "{}"));
              }
            });
    assertThat(slow.started.await(30, TimeUnit.SECONDS)).isTrue();
    Thread closing = new Thread(context::close);
    closing.start();
    slow.mayGoOn.countDown();
    closing.join(30_000);

    assertThat(closing.isAlive()).isFalse();
    assertThat(slow.handled).hasValue(EVENTS);
    try (ConfigurableApplicationContext later = start(url)) {
      assertThat(
              new JdbcTemplate(later.getBean(DataSource.class))
                  .queryForObject(
                      "SELECT count(*) FROM outbox_event WHERE status = 1", Integer.class))
          .isEqualTo(EVENTS);
      assertThat(later.getBean(Slow.class).handled).hasValue(0);
    }
  }

  @Test
  void outboxAndInboxDrainAtTheSameTime() throws Exception {
    ConfigurableApplicationContext context = start("jdbc:h2:mem:together;DB_CLOSE_DELAY=-1");
    Slow slow = context.getBean(Slow.class);
    JdbcOutbox outbox = context.getBean(JdbcOutbox.class);
    JdbcInbox inbox = context.getBean(LazyInbox.class).get();
    context
        .getBean(TransactionOperations.class)
        .executeWithoutResult(status -> outbox.publish(EventEnvelope.ofJson("slow", "{}")));
    inbox.receive(new InboxKey("bank", "1"), "slow", "{}");
    assertThat(slow.started.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(slow.received.await(30, TimeUnit.SECONDS)).isTrue();

    Thread closing = new Thread(context::close);
    closing.start();
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              assertThatThrownBy(outbox::start).hasMessageContaining("closed");
              assertThatThrownBy(inbox::start).hasMessageContaining("closed");
            });
    slow.mayGoOn.countDown();
    closing.join(30_000);

    assertThat(closing.isAlive()).isFalse();
    assertThat(slow.handled).hasValue(2);
  }

  @Test
  void inboxDoesNotBeginAfterTheEnd() {
    ConfigurableApplicationContext context = start("jdbc:h2:mem:late;DB_CLOSE_DELAY=-1");
    LazyInbox unused = new LazyInbox(() -> context.getBean(OutboxFactory.class).inbox());
    unused.start();
    unused.close();
    try (context) {
      assertThatThrownBy(unused::get)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("shutting down");
    }
  }

  @Test
  void stopsAfterTheWebServer() {
    assertThat(OutboxLifecycle.PHASE)
        .isLessThan(Boot.WEB_SERVER_SHUTDOWN_PHASE)
        .isLessThan(Boot.WEB_SERVER_STOP_PHASE);
  }

  private static ConfigurableApplicationContext start(String url) {
    return new SpringApplication(Slow.class)
        .run(
            "--spring.main.web-application-type=none",
            "--spring.datasource.url=" + url,
            "--outbox.dispatcher.drain-timeout=60s");
  }

  @EnableAutoConfiguration
  static class Slow {
    final CountDownLatch started = new CountDownLatch(1);
    final CountDownLatch received = new CountDownLatch(1);
    final CountDownLatch mayGoOn = new CountDownLatch(1);
    final AtomicInteger handled = new AtomicInteger();

    @OutboxListener("slow")
    void handle(String payload) throws InterruptedException {
      started.countDown();
      mayGoOn.await();
      handled.incrementAndGet();
    }

    @InboxListener("slow")
    void receive(String payload) throws InterruptedException {
      received.countDown();
      mayGoOn.await();
      handled.incrementAndGet();
    }
  }
}
