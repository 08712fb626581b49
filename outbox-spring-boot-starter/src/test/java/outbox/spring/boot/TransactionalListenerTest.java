package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionOperations;
import outbox.HandlerResult;
import outbox.OutboxClient;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;

/** What a listener has written when it fails: nothing, if its transaction is that of the event. */
@SpringBootTest(
    classes = TransactionalListenerTest.Application.class,
    properties = {
      "spring.main.web-application-type=none",
      "spring.datasource.generate-unique-name=true",
      "outbox.poller.interval=200ms",
      "outbox.retry.base-delay=10ms",
      "outbox.inbox.base-delay=10ms"
    })
class TransactionalListenerTest {
  private static final Map<String, Integer> CALLS = new ConcurrentHashMap<>();

  @Autowired OutboxClient client;
  @Autowired Inbox inbox;
  @Autowired TransactionOperations transactions;
  @Autowired JdbcTemplate jdbc;

  /** Each fails once after it has written. */
  @ParameterizedTest
  @CsvSource({
    "asked, 1",
    "joined, 1",
    "checked, 1",
    "mandatory, 1",
    "decides, 1",
    "new, 2",
    "plain, 2"
  })
  void writesOfAFailedDeliveryStayOnlyOutsideTheTransactionOfTheEvent(String topic, int rows) {
    transactions.executeWithoutResult(status -> client.publish(topic, "{}"));

    awaitDone("SELECT COUNT(*) FROM outbox_event WHERE status = 1 AND event_type = ?", topic);
    assertThat(rows(topic)).isEqualTo(rows);
  }

  @Test
  void sameForTheInbox() {
    inbox.receive(new InboxKey("bank", "1"), "received", "{}");

    awaitDone("SELECT COUNT(*) FROM outbox_inbox WHERE status = 1 AND topic = ?", "received");
    assertThat(rows("received")).isOne();
  }

  private void awaitDone(String count, String topic) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> jdbc.queryForObject(count, Integer.class, topic), found -> found == 1);
    assertThat(CALLS.get(topic)).isEqualTo(2);
  }

  private int rows(String topic) {
    return Objects.requireNonNull(
        jdbc.queryForObject("SELECT COUNT(*) FROM journal WHERE line = ?", Integer.class, topic));
  }

  @Component
  static class Listeners {
    private final JdbcTemplate jdbc;

    Listeners(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @OutboxListener(value = "asked", transactional = true)
    void asked(String payload) throws IOException {
      write("asked");
    }

    @OutboxListener("joined")
    @Transactional
    public void joined(String payload) {
      unchecked("joined");
    }

    /** Spring alone would commit after a checked exception. */
    @OutboxListener("checked")
    @Transactional
    public void checked(String payload) throws IOException {
      write("checked");
    }

    @OutboxListener("mandatory")
    @Transactional(propagation = Propagation.MANDATORY)
    public void mandatory(String payload) throws IOException {
      write("mandatory");
    }

    @OutboxListener("decides")
    @Transactional
    public HandlerResult decides(String payload) throws IOException {
      write("decides");
      return HandlerResult.done();
    }

    /** Commits on its own: Spring does not roll back after a checked exception. */
    @OutboxListener("new")
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void apart(String payload) throws IOException {
      write("new");
    }

    @OutboxListener("plain")
    void plain(String payload) throws IOException {
      write("plain");
    }

    @InboxListener(value = "received", transactional = true)
    void received(String payload) throws IOException {
      write("received");
    }

    private void unchecked(String line) {
      try {
        write(line);
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    private void write(String line) throws IOException {
      jdbc.update("INSERT INTO journal (line) VALUES (?)", line);
      if (CALLS.merge(line, 1, Integer::sum) == 1) {
        throw new IOException("the first delivery fails");
      }
    }
  }

  @EnableAutoConfiguration
  @Import(Listeners.class)
  static class Application {
    @Bean
    JdbcTemplate jdbc(javax.sql.DataSource dataSource) {
      JdbcTemplate jdbc = new JdbcTemplate(dataSource);
      jdbc.execute("CREATE TABLE journal (line VARCHAR(100))");
      return jdbc;
    }
  }
}
