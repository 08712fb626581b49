package outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.HandlerContext;
import outbox.HandlerResult;
import outbox.OutboxMessage;
import outbox.internal.handler.HandlerListener;
import outbox.model.InboxEntry;
import outbox.registry.NamedListener;
import outbox.testing.memory.InMemoryInboxStore;

class InboxHandlersTest {
  private final InboxHandlers handlers = new InboxHandlers();

  @Test
  void areFoundByTheirTopic() {
    assertThat(handlers.isEmpty()).isTrue();

    handlers.register(InboxHandler.of("orders", (message, context) -> {}));

    assertThat(handlers.isEmpty()).isFalse();
    assertThat(handlers.listenersFor("orders")).hasSize(1);
    assertThat(handlers.namedListenersFor("orders")).hasSize(1);
    assertThat(handlers.listenersFor("others")).isEmpty();
  }

  @Test
  void areNamedAfterTheirClassIfItHasAName() {
    handlers
        .register(InboxHandler.of("anonymous", (message, context) -> {}))
        .register(new Orders())
        .register("mine", InboxHandler.of("named", (message, context) -> {}));

    assertThat(nameOf("anonymous")).isEqualTo(NamedListener.UNNAMED_HANDLER);
    assertThat(nameOf("orders")).isEqualTo(Orders.class.getName());
    assertThat(nameOf("named")).isEqualTo("mine");
  }

  @Test
  void theLogNamesAMessageByItsKeyWhateverItsHandlerIs() {
    handlers
        .register(InboxHandler.of("plain", (message, context) -> {}))
        .register(TransactionalInboxHandler.of("transactional", (message, connection) -> {}));

    assertThat(logged("plain")).startsWith("source=shop messageId=4711 id=");
    assertThat(logged("transactional")).startsWith("source=shop messageId=4711 id=");
  }

  @Test
  void aRouterTakesAUuidInItsUsualForm() {
    UUID key = UUID.fromString("0AF8C1F6-5D5B-4E0A-9C56-3C2D5B8B2B11");
    AtomicReference<String> asked = new AtomicReference<>();
    InMemoryInboxStore store = new InMemoryInboxStore();
    Inbox inbox = Inbox.builder(store.connections(), store).build();
    InboxRouter router =
        routingKey -> {
          asked.set(routingKey);
          return inbox;
        };

    assertThat(router.getInbox(key)).isSameAs(inbox);
    assertThat(asked).hasValue("0af8c1f6-5d5b-4e0a-9c56-3c2d5b8b2b11");
  }

  private String nameOf(String topic) {
    return handlers.namedListenersFor(topic).get(0).name();
  }

  private String logged(String topic) {
    HandlerListener handler = (HandlerListener) handlers.listenersFor(topic).get(0);
    EventEnvelope event =
        EventEnvelope.builder(topic)
            .inboxEntry(new InboxEntry("shop", "4711", null, 1, null))
            .payloadJson("{}")
            .build();
    return handler.nameOf(new OutboxMessage(event, Instant.now(), 0, null, null, null, null));
  }

  private static final class Orders implements TransactionalInboxHandler {
    @Override
    public String topic() {
      return "orders";
    }

    @Override
    public HandlerResult handle(
        InboxMessage message, HandlerContext context, Connection connection) {
      return HandlerResult.done();
    }
  }
}
