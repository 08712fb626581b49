package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.dispatch.Retries;
import outbox.jdbc.JdbcOutbox;

class OrderSamplesTest {
  private final SampleDatabase database = new SampleDatabase();
  private final DataSource dataSource = database.dataSource();

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void publishInOrder() throws Exception {
    List<String> handled = new CopyOnWriteArrayList<>();
    try (JdbcOutbox outbox =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .listenerOfAll(event -> handled.add(event.eventType()))
            .start()) {
      // region ordered-publish
      outbox.inTransaction(
          connection -> {
            outbox.publish(
                "CustomerRenamed", "{\"name\":\"Ann\"}", event -> event.orderingKey("c-42"));
            outbox.publish(
                "CustomerMoved", "{\"city\":\"Oslo\"}", event -> event.orderingKey("c-42"));
          });
      // endregion
      await().until(() -> handled.size() == 2);
    }
    assertThat(handled).containsExactly("CustomerRenamed", "CustomerMoved");
  }

  @Test
  void letAKeyContinueAfterADeath() {
    JdbcOutbox.Builder builder =
        // region ordered-release
        JdbcOutbox.builder(dataSource)
            .retries("CustomerViewed", Retries.quick().maxAttempts(5).releasingKey())
        // endregion
        ;
    assertThat(builder).isNotNull();
  }
}
