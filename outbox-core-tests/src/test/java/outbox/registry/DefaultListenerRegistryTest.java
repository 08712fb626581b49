package outbox.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.EventType;
import outbox.HandlerContext;
import outbox.OutboxHandler;
import outbox.OutboxMessage;
import outbox.contracts.support.Spec;
import outbox.internal.handler.HandlerListener;
import outbox.internal.handler.InternalHandler;
import outbox.join.JoinCoordinator;

class DefaultListenerRegistryTest {
  private final EventListener first = event -> {};
  private final EventListener second =
      event -> {
        throw new IOException("listeners may throw anything");
      };
  private final EventListener audit = event -> event.eventId();

  enum Events implements EventType {
    CREATED
  }

  @Test
  @Spec({"FRM-69", "FRM-70", "FRM-71"})
  void listenersOfTheTypeComeFirstInTheirOrderThenTheWildcards() {
    ListenerRegistry registry =
        new DefaultListenerRegistry()
            .registerAll(audit)
            .register("CREATED", first)
            .register(Events.CREATED, second);

    assertThat(registry.listenersFor("CREATED")).containsExactly(first, second, audit);
    assertThat(registry.listenersFor("Unknown")).containsExactly(audit);
  }

  @Test
  void messagesOfTheLibraryItselfMeetTheirHandlerOnly() {
    class Own implements OutboxHandler, InternalHandler {
      @Override
      public String topic() {
        return "internal";
      }

      @Override
      public void handle(OutboxMessage message, HandlerContext context) {}
    }

    Own own = new Own();
    ListenerRegistry registry = new DefaultListenerRegistry().registerAll(audit).register(own);

    assertThat(registry.listenersFor("internal"))
        .extracting(DefaultListenerRegistryTest::registered)
        .containsExactly(own);
  }

  /** Such as a listener for auditing on a node without joins. */
  @Test
  void waitsOfJoinsAreNotDoneByAWildcard() {
    DefaultListenerRegistry registry = new DefaultListenerRegistry().registerAll(audit);

    assertThat(registry.listenersFor(JoinCoordinator.DEFAULT_WAIT_TOPIC)).isEmpty();
    registry.register(JoinCoordinator.DEFAULT_WAIT_TOPIC, first);
    assertThat(registry.listenersFor(JoinCoordinator.DEFAULT_WAIT_TOPIC))
        .containsExactly(first, audit);
  }

  @Test
  @Spec("FRM-70")
  void aStarIsTheWildcard() {
    ListenerRegistry registry = new DefaultListenerRegistry().register("*", audit);

    assertThat(registry.listenersFor("Anything")).containsExactly(audit);
  }

  @Test
  void thoseOfAnotherOneFollowTheOwn() {
    DefaultListenerRegistry more =
        new DefaultListenerRegistry().register("Created", second).registerAll(audit);
    DefaultListenerRegistry registry =
        new DefaultListenerRegistry().register("Created", first).registerFrom(more);

    more.register("Created", first);

    assertThat(registry.listenersFor("Created")).containsExactly(first, second, audit);
    assertThat(registry.listenersFor("Unknown")).containsExactly(audit);
  }

  @Test
  void aListenerIsNamedAfterItsClassOrByItsPlaceOrAsItWasGiven() {
    DefaultListenerRegistry registry =
        new DefaultListenerRegistry()
            .register("Created", first)
            .register("Created", "mail", second)
            .register("Created", new Forwarding())
            .registerAll(audit)
            .register(OutboxHandler.of("Created", (message, context) -> {}));

    assertThat(names(registry, "Created"))
        .containsExactly(
            "listener 1 of 2", "mail", Forwarding.class.getName(), "handler", "listener 2 of 2");
    assertThat(names(registry, "Unknown")).containsExactly("listener");
  }

  @Test
  void instancesOfOneClassAreCounted() {
    ListenerRegistry registry =
        new DefaultListenerRegistry()
            .register("Created", new Forwarding())
            .register("Created", new Forwarding());

    assertThat(names(registry, "Created"))
        .containsExactly(
            Forwarding.class.getName() + " 1 of 2", Forwarding.class.getName() + " 2 of 2");
  }

  @Test
  void anotherRegistryIsNamedByTheSameRules() {
    ListenerRegistry registry = type -> List.of(first, new Forwarding(), second);

    assertThat(names(registry, "Any"))
        .containsExactly("listener 1 of 2", Forwarding.class.getName(), "listener 2 of 2");
  }

  @Test
  void twoListenersOfATopicWithOneNameAreRefusedAndNothingIsRegistered() {
    DefaultListenerRegistry registry =
        new DefaultListenerRegistry()
            .register("Created", "mail", first)
            .register("Changed", "mail", first);
    DefaultListenerRegistry more = new DefaultListenerRegistry().register("Created", "mail", audit);

    assertThatThrownBy(() -> registry.register("Created", "mail", second))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "listener name (mail) must be unique among the listeners of topic Created, those of all"
                + " topics included; give each of them a name of its own");
    assertThatThrownBy(() -> registry.registerAll("mail", audit))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> registry.registerFrom(more)).isInstanceOf(IllegalStateException.class);
    assertThat(registry.listenersFor("Created")).containsExactly(first);
    assertThat(registry.listenersFor("Other")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  ", "a\nb"})
  void aNameThatCannotBeReadIsRefused(String name) {
    DefaultListenerRegistry registry = new DefaultListenerRegistry();

    assertThatThrownBy(() -> registry.register("Created", name, first))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("name of a listener must not ");
  }

  private static List<String> names(ListenerRegistry registry, String type) {
    return registry.namedListenersFor(type).stream().map(NamedListener::name).toList();
  }

  private static final class Forwarding implements EventListener {
    @Override
    public void onEvent(EventEnvelope event) {}
  }

  @Test
  void typesAreCaseSensitive() {
    ListenerRegistry registry = new DefaultListenerRegistry().register("Created", first);

    assertThat(registry.listenersFor("CREATED")).isEmpty();
  }

  @Test
  @Spec("FRM-71")
  void theListIsImmutableAndLaterRegistrationsDoNotChangeIt() {
    DefaultListenerRegistry registry = new DefaultListenerRegistry().register("Created", first);
    List<EventListener> listeners = registry.listenersFor("Created");

    registry.register("Created", second);

    assertThat(listeners).containsExactly(first);
    assertThat(registry.listenersFor("Created")).containsExactly(first, second);
    assertThatThrownBy(() -> listeners.add(second))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  @Spec("FRM-86")
  void manyThreadsRegisterAtOnceAndNoListenerIsLost() throws Exception {
    DefaultListenerRegistry registry = new DefaultListenerRegistry();
    int threads = 8;
    int each = 50;
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      Callable<Integer> registering =
          () -> {
            for (int i = 0; i < each; i++) {
              registry.register("Created", event -> {}).registerAll(event -> {});
              assertThat(registry.listenersFor("Created")).hasSizeGreaterThan(2 * i + 1);
            }
            return each;
          };
      for (Future<Integer> done : executor.invokeAll(Collections.nCopies(threads, registering))) {
        assertThat(done.get()).isEqualTo(each);
      }
    } finally {
      executor.shutdownNow();
    }

    assertThat(registry.listenersFor("Created")).hasSize(2 * threads * each);
    assertThat(registry.listenersFor("Other")).hasSize(threads * each);
  }

  @Test
  @Spec("FRM-68")
  void aListenerMayThrowACheckedException() {
    assertThatThrownBy(() -> second.onEvent(EventEnvelope.ofJson("Type", "{}")))
        .isInstanceOf(IOException.class);
  }

  @Test
  void refusesAnEmptyType() {
    assertThatThrownBy(() -> new DefaultListenerRegistry().register("", first))
        .hasMessage("eventType must not be empty");
    assertThatThrownBy(() -> new DefaultListenerRegistry().register(" ", first))
        .hasMessage("eventType must not be blank");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "*"})
  void aHandlerWrittenAsALambdaNamesOneTopic(String topic) {
    assertThatThrownBy(() -> OutboxHandler.of(topic, (message, context) -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "topic (%s) of a handler must name one topic; for every message give an EventListener"
                + " to listenerOfAll(…)",
            topic);
  }

  @Test
  void aTransactionalListenerRefusesToRunWithoutATransaction() {
    DefaultListenerRegistry registry =
        new DefaultListenerRegistry().registerTransactional("Type", (event, connection) -> {});

    assertThatThrownBy(
            () -> registry.listenersFor("Type").get(0).onEvent(EventEnvelope.ofJson("Type", "{}")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("transactions(");
  }

  @Test
  @Spec("OBX-048")
  void aHandlerIsAListenerOfItsTopicInTheSameOrder() {
    OutboxHandler handler = OutboxHandler.of("Created", (message, context) -> {});
    ListenerRegistry registry =
        new DefaultListenerRegistry()
            .registerAll(audit)
            .register("Created", first)
            .register(handler)
            .register("Created", second);

    assertThat(registry.listenersFor("Created"))
        .extracting(DefaultListenerRegistryTest::registered)
        .containsExactly(first, handler, second, audit);
    assertThat(registry.listenersFor("Other")).containsExactly(audit);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "*"})
  void refusesAHandlerThatDoesNotNameOneTopic(String topic) {
    OutboxHandler handler =
        new OutboxHandler() {
          @Override
          public String topic() {
            return topic;
          }

          @Override
          public void handle(OutboxMessage message, HandlerContext context) {}
        };

    assertThatThrownBy(() -> new DefaultListenerRegistry().register(handler))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("topic (" + topic + ") of " + handler.getClass().getName())
        .hasMessageContaining("listenerOfAll(…) of the builder or registerAll(…)");
  }

  @Test
  void isEmptyUntilAListenerIsRegistered() {
    assertThat(new DefaultListenerRegistry().isEmpty()).isTrue();
    assertThat(new DefaultListenerRegistry().register("Any", event -> {}).isEmpty()).isFalse();
    assertThat(new DefaultListenerRegistry().registerAll(event -> {}).isEmpty()).isFalse();
  }

  @Test
  void aHandlerIsRegisteredForItsTopicByTheGivenName() {
    DefaultListenerRegistry registry =
        new DefaultListenerRegistry()
            .registerHandler("mail", OutboxHandler.of("Any", (message, context) -> {}));

    assertThat(registry.listenersFor("Any")).hasSize(1);
    assertThatThrownBy(
            () -> registry.registerHandler("mail", OutboxHandler.of("Any", (m, context) -> {})))
        .isInstanceOf(IllegalStateException.class);
  }

  private static Object registered(EventListener listener) {
    return listener instanceof HandlerListener handler ? handler.named() : listener;
  }
}
