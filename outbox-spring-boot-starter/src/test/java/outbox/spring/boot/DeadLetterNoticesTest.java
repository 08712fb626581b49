package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;
import outbox.DeadLetterListener;
import outbox.OutboxClient;
import outbox.PermanentFailureException;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;

/** Beans and listeners of application events hear of messages that die. */
@SpringBootTest(
    classes = DeadLetterNoticesTest.Application.class,
    properties = {
      "spring.main.web-application-type=none",
      "spring.datasource.generate-unique-name=true"
    })
class DeadLetterNoticesTest {
  private static final List<String> HEARD = new CopyOnWriteArrayList<>();

  @Autowired OutboxClient client;
  @Autowired Inbox inbox;
  @Autowired TransactionOperations transactions;

  @Test
  void allHearOfAMessageThatDies() {
    transactions.executeWithoutResult(status -> client.publish("doomed", "{}"));
    inbox.receive(new InboxKey("bank", "1"), "rejected", "{}");

    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThat(HEARD)
                    .containsExactlyInAnyOrder(
                        "bean: doomed",
                        "event: outbox doomed",
                        "bean: rejected",
                        "event: inbox rejected"));
  }

  // region spring-dead
  @Component
  static class Alarm {
    @EventListener
    void onDead(DeadLetterEvent event) {
      alarm("event: " + event.queue() + " " + event.letter().topic());
    }

    private void alarm(String text) {
      HEARD.add(text);
    }
  }

  // endregion

  @EnableAutoConfiguration
  @Import(Alarm.class)
  static class Application {
    /** Fails, which keeps no other from hearing of it. */
    @Bean
    @Order(1)
    DeadLetterListener broken() {
      return (store, letter) -> {
        throw new IllegalStateException("out of order");
      };
    }

    /** May want the outbox itself. */
    @Bean
    @Order(2)
    DeadLetterListener bean(OutboxClient client) {
      return (store, letter) -> HEARD.add("bean: " + letter.topic());
    }

    @OutboxListener("doomed")
    void doomed(String payload) {
      throw new PermanentFailureException("no way");
    }

    @InboxListener("rejected")
    void rejected(String payload) {
      throw new PermanentFailureException("no way");
    }
  }
}
