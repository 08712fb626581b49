package outbox.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxMessage;
import outbox.contracts.support.Spec;
import outbox.model.EventStatus;
import outbox.model.MessageId;
import outbox.testing.memory.InMemoryEventStore;
import outbox.testing.memory.StoredEvent;

class OutboxStoreTest {
  private final InMemoryEventStore events = new InMemoryEventStore();
  private final OutboxStore store =
      OutboxStore.builder("tenant-1", events.connections(), events).build();

  @Test
  @Spec("OBXU-03")
  void claimedMessagesAreDispatchedRescheduledOrFailed() throws Exception {
    for (int i = 0; i < 4; i++) {
      enqueue();
    }
    List<OutboxMessage> claimed = store.claimDue(3);
    assertThat(claimed).hasSize(3).allMatch(message -> message.payload().equals("{}"));
    Instant before = Instant.now();

    store.markDispatched(claimed.get(0).id());
    store.reschedule(claimed.get(1).id(), Duration.ofHours(1), "busy");
    store.fail(claimed.get(2).id(), "broken");

    assertThat(stored(claimed.get(0).id()).status()).isEqualTo(EventStatus.DONE);
    assertThat(stored(claimed.get(1).id()).status()).isEqualTo(EventStatus.RETRY);
    assertThat(stored(claimed.get(1).id()).lastError()).isEqualTo("busy");
    assertThat(stored(claimed.get(1).id()).event().attempts()).isEqualTo(1);
    assertThat(stored(claimed.get(1).id()).availableAt())
        .isBetween(before.plus(Duration.ofHours(1)), Instant.now().plus(Duration.ofHours(1)));
    assertThat(stored(claimed.get(2).id()).status()).isEqualTo(EventStatus.DEAD);
    assertThat(stored(claimed.get(2).id()).lastError()).isEqualTo("broken");
    assertThat(store.claimDue(10)).hasSize(1);
  }

  @Test
  void claimedMessageTellsItsLastErrorAndTheEndOfItsLease() throws Exception {
    enqueue();
    OutboxMessage first = store.claimDue(1).get(0);
    store.reschedule(first.id(), Duration.ZERO, "busy");

    OutboxMessage again = store.claimDue(1).get(0);

    assertThat(first.lockedUntil()).isNotNull();
    assertThat(again.lastError()).isEqualTo("busy");
  }

  @Test
  @Spec("OBXU-03")
  void messageThatAnotherHoldsIsLeftAlone() throws Exception {
    enqueue();
    OutboxStore other = OutboxStore.builder("other", events.connections(), events).build();
    OutboxMessage claimed = other.claimDue(1).get(0);

    StoredEvent before = stored(claimed.id());

    store.markDispatched(claimed.id());
    store.reschedule(claimed.id(), Duration.ofHours(1), "not mine");
    store.fail(claimed.id(), "not mine");

    assertThat(stored(claimed.id())).isEqualTo(before);
    assertThat(before.status()).isEqualTo(EventStatus.NEW);
  }

  @Test
  @Spec("OBX-064")
  void providerNamesItsStoresAndRefusesTwoOfOneName() {
    OutboxStoreProvider provider = OutboxStoreProvider.of(store);

    assertThat(provider.stores()).containsExactly(store);
    assertThat(store).hasToString("tenant-1");
    assertThat(provider.identifierOf(store)).isEqualTo("tenant-1");
    assertThat(provider.identifierOf(store)).isEqualTo(provider.identifierOf(store));
    assertThatThrownBy(() -> OutboxStoreProvider.of(List.of(store, store)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("tenant-1");
  }

  @Test
  void closesOnce() {
    AtomicInteger closes = new AtomicInteger();
    OutboxStore closing =
        OutboxStore.builder("a", events.connections(), events)
            .onClose(closes::incrementAndGet)
            .build();

    closing.close();
    closing.close();

    assertThat(closes).hasValue(1);
  }

  private void enqueue() throws SQLException {
    try (Connection connection = events.connections().getConnection()) {
      events.insertNew(connection, EventEnvelope.ofJson("Any", "{}"));
    }
  }

  private StoredEvent stored(MessageId id) {
    return events.find(id.value()).orElseThrow();
  }
}
