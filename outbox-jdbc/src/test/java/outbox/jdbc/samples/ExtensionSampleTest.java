package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testing.OutboxAssertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import outbox.jdbc.JdbcOutbox;
import outbox.testing.OutboxDriver;
import outbox.testing.OutboxExtension;
import outbox.testing.PublishedEvents;

/** The extension with an outbox on a database. */
class ExtensionSampleTest {
  private final List<String> mails = new CopyOnWriteArrayList<>();
  private final SampleDatabase database = new SampleDatabase();
  private final JdbcOutbox outbox =
      JdbcOutbox.builder(database.dataSource())
          .createSchema()
          .listener("OrderPlaced", event -> mails.add(event.eventId()))
          .start();

  // region extension-on-a-database
  @RegisterExtension
  final OutboxExtension extension =
      OutboxExtension.on(() -> outbox.dispatcher(), () -> database.dataSource());

  @Test
  void theListenerRuns(OutboxDriver driver, PublishedEvents events) {
    outbox.inTransaction(connection -> outbox.publish("OrderPlaced", "{}"));

    driver.runAll();

    assertThat(events).containsExactly("OrderPlaced").areDone();
  }

  // endregion

  @RepeatedTest(2)
  void eachTestSeesItsOwnEventsOnly(OutboxDriver driver, PublishedEvents events) {
    assertThat(events).isEmpty();
    outbox.inTransaction(connection -> outbox.publish("OrderPlaced", "{}"));
    assertThat(mails).isEmpty();
    driver.runAll();
    assertThat(mails).hasSize(1);
  }

  @AfterEach
  void close() {
    outbox.close();
    database.close();
  }
}
