package outbox.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
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

  @Test
  void aFullBatchIsFollowedByAnotherOfTheSameStep() {
    EventRetention chore =
        new EventRetention(
            "outbox",
            new InMemoryEventStore().connections(),
            removing(2, 2, 1, 0),
            Retention.ofOutbox()
                .payloads(Duration.ofDays(1))
                .dead(Duration.ofDays(30))
                .batchSize(2));

    assertThat(List.of(chore.batch(), chore.batch(), chore.batch(), chore.batch(), chore.batch()))
        .containsExactly(true, true, true, true, false);

    assertThat(called)
        .containsExactly(
            "purgePayloads", "purgePayloads", "purgePayloads", "purgeDone", "purgeDead");
  }

  @Test
  void payloadsThatGoWithTheirMessagesAreNoStepOfTheirOwn() {
    EventRetention chore =
        new EventRetention(
            "inbox",
            new InMemoryEventStore().connections(),
            removing(),
            Retention.ofOutbox().payloads(Duration.ofDays(7)));

    assertThat(chore.batch()).isFalse();
    assertThat(chore.name()).isEqualTo("inbox");
    assertThat(called).containsExactly("purgeDone");
  }

  @Test
  void nothingIsRemovedOfWhatIsKeptForEver() {
    EventRetention chore =
        new EventRetention(
            "outbox",
            new InMemoryEventStore().connections(),
            removing(),
            Retention.ofOutbox().completed(null));

    assertThat(chore.batch()).isFalse();
    assertThat(called).isEmpty();
  }

  /** Removes so many rows, one number after the other, then none. */
  private EndedEventStore removing(Integer... rows) {
    Iterator<Integer> next = List.of(rows).iterator();
    return (EndedEventStore)
        Proxy.newProxyInstance(
            EndedEventStore.class.getClassLoader(),
            new Class<?>[] {EndedEventStore.class},
            (proxy, method, arguments) -> {
              called.add(method.getName());
              return next.hasNext() ? next.next() : 0;
            });
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
