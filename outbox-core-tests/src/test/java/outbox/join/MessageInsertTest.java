package outbox.join;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.model.MessageId;
import outbox.spi.LeasedEventStore;
import outbox.testing.memory.InMemoryEventStore;

class MessageInsertTest {
  private final List<EventEnvelope> inserted = new ArrayList<>();
  private final LeasedEventStore store =
      (LeasedEventStore)
          Proxy.newProxyInstance(
              MessageInsertTest.class.getClassLoader(),
              new Class<?>[] {LeasedEventStore.class},
              (proxy, method, args) -> {
                for (Object each : (Collection<?>) args[1]) {
                  inserted.add((EventEnvelope) each);
                }
                return Map.of(inserted.get(0).eventId(), "there already");
              });

  @Test
  void messagesAreStoredInTheOrderOfTenantAndKeyAndToldInTheirOwn() throws Exception {
    EventEnvelope bOne = keyed("b", "1");
    EventEnvelope aTwo = keyed("a", "2");
    EventEnvelope noneThree = keyed(null, "3");
    EventEnvelope aOne = keyed("a", "1");

    try (Connection connection = new InMemoryEventStore().connections().getConnection()) {
      List<MessageId> ids =
          MessageInsert.into(store).insert(connection, List.of(bOne, aTwo, noneThree, aOne));

      assertThat(inserted).containsExactly(noneThree, aOne, aTwo, bOne);
      assertThat(ids)
          .extracting(MessageId::value)
          .containsExactly(bOne.eventId(), aTwo.eventId(), "there already", aOne.eventId());
    }
  }

  private static EventEnvelope keyed(@Nullable String tenant, String key) {
    return EventEnvelope.builder("Any")
        .tenantId(tenant)
        .idempotencyKey(key)
        .payloadJson("{}")
        .build();
  }
}
