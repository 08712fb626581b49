package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.Bulk;
import outbox.DeadLetters;
import outbox.EventEnvelope;
import outbox.PermanentFailureException;
import outbox.Retention;
import outbox.jdbc.JdbcOutbox;
import outbox.model.DeadCount;
import outbox.model.DeadLetter;
import outbox.model.DeadLetterFilter;
import outbox.model.MessageId;

/** The samples of docs/retention.md and docs/dead-letters.md. */
class RetentionSamplesTest {
  private final SampleDatabase database = new SampleDatabase();
  private final DataSource dataSource = database.dataSource();
  private final Queue<String> alarms = new ConcurrentLinkedQueue<>();

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void agesAreSetOnce() {
    // region retention
    Retention retention =
        Retention.ofOutbox()
            .payloads(Duration.ofDays(1))
            .completed(Duration.ofDays(30))
            .dead(Duration.ofDays(90))
            .joins(Duration.ofDays(30));
    try (JdbcOutbox outbox =
        JdbcOutbox.builder(dataSource).createSchema().retention(retention).start()) {
      outbox.queue().enqueue("mail", "{}");
    }
    // endregion
    assertThat(retention.completed()).isEqualTo(Duration.ofDays(30));
  }

  @Test
  void deadLettersAreToldOfListedReplayedAndDiscarded() {
    try (JdbcOutbox outbox = startOutbox()) {
      for (int i = 0; i < 3; i++) {
        outbox.queue().enqueue(EventEnvelope.ofJson("mail", "{}"));
      }
      await().atMost(Duration.ofSeconds(60)).until(() -> alarms.size() == 3);
      DeadLetters letters = outbox.queue().deadLetters();
      // region dead-letters-list
      DeadLetterFilter timeouts =
          DeadLetterFilter.all()
              .topic("mail")
              .errorContains("timeout")
              .diedFrom(Instant.now().minus(Duration.ofHours(2)));
      DeadCount count = letters.count(timeouts);
      List<DeadLetter> page = letters.list(timeouts, 50);
      List<DeadLetter> next = letters.list(timeouts, page.get(page.size() - 1).position(), 50);
      // endregion
      assertThat(count).isEqualTo(new DeadCount(3, true));
      assertThat(next).isEmpty();
      MessageId id = page.get(0).id();
      // region dead-letters-inspect
      DeadLetter letter = letters.find(id).orElseThrow();
      String payload = letter.event().payloadJson();
      String why = letter.error();
      // endregion
      assertThat(payload).isEqualTo("{}");
      assertThat(why).contains("timeout");
      // region dead-letters-replay
      letters.replay(id, "alice");
      long replayed =
          letters.replay(
              timeouts,
              Bulk.by("alice")
                  .perSecond(500)
                  .progress(
                      changed -> {
                        show(changed);
                        return !Thread.currentThread().isInterrupted();
                      }));
      // endregion
      assertThat(replayed).isBetween(2L, 3L);
      await().atMost(Duration.ofSeconds(60)).until(() -> letters.list(timeouts, 50).size() == 3);
      // region dead-letters-discard
      letters.discard(List.of(id), "bob", "the customer has cancelled");
      letters.discard(timeouts, "test data", Bulk.by("bob"));
      // endregion
      assertThat(letters.list(DeadLetterFilter.all(), 10)).isEmpty();
    }
  }

  private JdbcOutbox startOutbox() {
    // region dead-letters-told
    return JdbcOutbox.builder(dataSource)
        .createSchema()
        .onDead((store, letter) -> alarms.add(letter.topic() + " " + letter.error()))
        .listener(
            "mail",
            event -> {
              throw new PermanentFailureException("timeout");
            })
        .start();
    // endregion
  }

  private static void show(long changed) {
    assertThat(changed).isPositive();
  }
}
