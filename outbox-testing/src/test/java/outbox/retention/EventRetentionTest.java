package outbox.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.Retention;
import outbox.spi.EndedEventStore;
import outbox.spi.StoreException;
import outbox.testing.InMemoryEventStore;

class EventRetentionTest {
  private final List<String> called = new ArrayList<>();

  @Test
  void aStepThatFailsForEverDoesNotKeepTheLaterOnesFromTheirTurn() {
    EventRetention chore =
        new EventRetention(
            "outbox",
            new InMemoryEventStore().connections(),
            failingAt("purgeDone"),
            Retention.ofOutbox().dead(Duration.ofDays(30)));

    assertThatThrownBy(chore::batch).isInstanceOf(StoreException.class);
    assertThat(chore.batch()).isFalse();
    assertThatThrownBy(chore::batch).isInstanceOf(StoreException.class);

    assertThat(called).containsExactly("purgeDone", "purgeDead", "purgeDone");
  }

  private EndedEventStore failingAt(String failing) {
    return (EndedEventStore)
        Proxy.newProxyInstance(
            EndedEventStore.class.getClassLoader(),
            new Class<?>[] {EndedEventStore.class},
            (proxy, method, arguments) -> {
              called.add(method.getName());
              if (method.getName().equals(failing)) {
                throw new StoreException("no right to delete", new SQLException("denied"));
              }
              return 0;
            });
  }
}
