package outbox.internal.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.Retention;
import outbox.contracts.support.Spec;
import outbox.spi.EndedEventStore;
import outbox.spi.StoreException;
import outbox.testing.memory.InMemoryEventStore;

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
  @Spec("IBX-101")
  void eachStepIsRepeatedUntilABatchOfItIsNotFull() {
    List<Integer> left = new ArrayList<>(List.of(7, 7, 2, 7, 0, 7, 6));
    EndedEventStore store =
        (EndedEventStore)
            Proxy.newProxyInstance(
                EndedEventStore.class.getClassLoader(),
                new Class<?>[] {EndedEventStore.class},
                (proxy, method, arguments) -> {
                  called.add(method.getName() + " " + arguments[1] + " " + arguments[2]);
                  return left.remove(0);
                });
    Retention retention = Retention.ofInbox().dead(Duration.ofDays(90)).batchSize(7);

    new EventRetention("inbox", new InMemoryEventStore().connections(), store, retention).finish();

    assertThat(called)
        .containsExactly(
            "purgePayloads PT168H 7",
            "purgePayloads PT168H 7",
            "purgePayloads PT168H 7",
            "purgeDone PT720H 7",
            "purgeDone PT720H 7",
            "purgeDead PT2160H 7",
            "purgeDead PT2160H 7");
    assertThat(Retention.ofInbox().batchSize()).isEqualTo(500);
  }

  @Test
  void payloadsThatGoWithTheirMessagesAreNoStepOfTheirOwn() {
    EventRetention chore =
        new EventRetention(
            "inbox",
            new InMemoryEventStore().connections(),
            failingAt("nothing"),
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
            failingAt("nothing"),
            Retention.ofOutbox().completed(null));

    assertThat(chore.batch()).isFalse();
    assertThat(called).isEmpty();
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
