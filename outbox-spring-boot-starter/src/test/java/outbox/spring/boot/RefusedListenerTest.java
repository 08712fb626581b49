package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.spring.boot.FailedStarts.APPLICATION;
import static outbox.spring.boot.FailedStarts.failureOf;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxMessage;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxMessage;

/** A listener that could never be called fails the start, and is told what to do. */
class RefusedListenerTest {
  @ParameterizedTest
  @ValueSource(classes = {NamelessTopic.class, NamelessBean.class, NamelessInboxTopic.class})
  void withEmptyTopic(Class<?> listener) {
    FailureAnalysis failure = failureOf(APPLICATION.withUserConfiguration(listener));

    assertThat(failure.getDescription())
        .containsIgnoringCase(listener.getSimpleName())
        .contains("cannot listen");
    assertThat(failure.getAction()).contains("Name one topic");
  }

  @Test
  void withPrivateMethodOfAProxiedBean() {
    FailureAnalysis failure =
        failureOf(APPLICATION.withUserConfiguration(ProxiesOfClasses.class, PrivateListener.class));

    assertThat(failure.getDescription()).contains("PrivateListener.on", "cannot listen");
    assertThat(failure.getAction()).contains("not private");
  }

  @Test
  void withMethodThatTheProxyOfItsBeanDoesNotHave() {
    FailureAnalysis failure =
        failureOf(
            APPLICATION.withUserConfiguration(ProxiesOfInterfaces.class, HiddenListener.class));

    assertThat(failure.getDescription()).contains("HiddenListener.on", "cannot listen");
    assertThat(failure.getAction()).contains("declared in an interface");
  }

  @Test
  void withListenerOfAnOutboxThatDoesNotExist() {
    FailureAnalysis failure = failureOf(APPLICATION.withUserConfiguration(NoSuchOutbox.class));

    assertThat(failure.getDescription()).contains("NoSuchOutbox.on", "outbox billing");
    assertThat(failure.getAction()).contains("jdbcOutbox");
  }

  @Test
  void withParameterThatIsABean() {
    assertThat(failureOf(APPLICATION.withUserConfiguration(WantsBean.class)).getDescription())
        .contains("WantsBean.on", "org.springframework.jdbc.core.JdbcTemplate, which is a bean");
  }

  @Test
  void withParameterThatJsonCannotMake() {
    assertThat(failureOf(APPLICATION.withUserConfiguration(WantsInterface.class)).getDescription())
        .contains("AutoCloseable, which no payload can be read as");
  }

  @Test
  void withParametersThatJsonCanMakeItStarts() {
    APPLICATION
        .withUserConfiguration(WantsContainers.class, Boot.WantsTree.class)
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void withListThatLooksLikeABatch() {
    assertThat(failureOf(APPLICATION.withUserConfiguration(WantsList.class)).getDescription())
        .contains("WantsList.on", "List<java.lang.String>", "one at a time");
  }

  @Test
  void withTransactionApartFromThatOfItsEvent() {
    FailureAnalysis failure = failureOf(APPLICATION.withUserConfiguration(Apart.class));

    assertThat(failure.getDescription()).contains("Apart.on", "propagation = REQUIRES_NEW");
    assertThat(failure.getAction()).contains("transactional = true");
  }

  @Test
  void withPlainListenerThatIsMarkedTransactional() {
    assertThat(failureOf(APPLICATION.withUserConfiguration(MarkedOnly.class)).getAction())
        .contains("TransactionalEventListener");
  }

  @Test
  void withUnresolvedTypeVariable() {
    assertThat(failureOf(APPLICATION.withUserConfiguration(Unresolved.class)).getDescription())
        .contains("cannot be bound: T");
  }

  @Test
  void withAnnotatedClassThatIsNoListener() {
    FailureAnalysis failure = failureOf(APPLICATION.withUserConfiguration(NoListener.class));

    assertThat(failure.getDescription()).contains("carries @OutboxListener, but is no listener");
    assertThat(failure.getAction()).contains("EventListener");
  }

  @Test
  void withParameterThatCannotBeBound() {
    FailureAnalysis failure = failureOf(APPLICATION.withUserConfiguration(Unbindable.class));

    assertThat(failure.getDescription())
        .contains("@OutboxListener method", "Unbindable.on", "cannot be bound: int");
    assertThat(failure.getAction()).contains("EventEnvelope", "HandlerContext", "Connection");
  }

  @Test
  void withMessageOfTheOtherSide() {
    assertThat(failureOf(APPLICATION.withUserConfiguration(WrongSide.class)).getDescription())
        .contains("cannot be bound: outbox.inbox.InboxMessage");
  }

  @Test
  void withTwoPayloads() {
    assertThat(failureOf(APPLICATION.withUserConfiguration(TwoPayloads.class)).getDescription())
        .contains("has 2 parameters for the payload");
  }

  @Test
  void withUnwantedResult() {
    FailureAnalysis failure = failureOf(APPLICATION.withUserConfiguration(ReturnsText.class));

    assertThat(failure.getDescription()).contains("returns java.lang.String");
    assertThat(failure.getAction()).contains("HandlerResult");
  }

  @Test
  void withTwoListenersOfAnInboxTopic() {
    FailureAnalysis failure = failureOf(APPLICATION.withUserConfiguration(TwoInboxListeners.class));

    assertThat(failure.getDescription())
        .contains(
            "Topic paid of the inbox has two listeners", "TwoInboxListeners.on", "bean plain");
  }

  @Test
  void withPlainListenerWithoutTopic() {
    FailureAnalysis failure = failureOf(APPLICATION.withUserConfiguration(NoTopic.class));

    assertThat(failure.getDescription()).contains("Bean plain is an EventListener");
    assertThat(failure.getAction()).contains("@OutboxListener(\"topic\")");
  }

  static class NamelessTopic {
    @OutboxListener("")
    void on(EventEnvelope event) {}
  }

  static class NamelessInboxTopic {
    @InboxListener("")
    void on(InboxMessage message) {}
  }

  @Configuration(proxyBeanMethods = false)
  static class NamelessBean {
    @Bean
    @OutboxListener("")
    EventListener namelessBean() {
      return event -> {};
    }
  }

  @EnableTransactionManagement(proxyTargetClass = true)
  static class ProxiesOfClasses {}

  @EnableTransactionManagement
  static class ProxiesOfInterfaces {}

  @Transactional
  static class PrivateListener {
    @OutboxListener("placed")
    @SuppressWarnings("UnusedMethod")
    private void on() {}
  }

  @Transactional
  static class HiddenListener implements Runnable {
    @Override
    public void run() {}

    @OutboxListener("placed")
    public void on(EventEnvelope event) {}
  }

  static class NoSuchOutbox {
    @OutboxListener(value = "placed", outbox = "billing")
    void on(EventEnvelope event) {}
  }

  @Configuration(proxyBeanMethods = false)
  static class WantsBean {
    @Bean
    JdbcTemplate jdbc(DataSource dataSource) {
      return new JdbcTemplate(dataSource);
    }

    @OutboxListener("placed")
    void on(JdbcTemplate jdbc) {}
  }

  static class WantsInterface {
    @OutboxListener("placed")
    void on(AutoCloseable payload) {}
  }

  static class WantsList {
    @OutboxListener("list")
    void on(List<String> payloads) {}
  }

  static class Apart {
    @OutboxListener(value = "apart", transactional = true)
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void on(String payload) {}
  }

  @OutboxListener(value = "marked", transactional = true)
  static class MarkedOnly implements EventListener {
    @Override
    public void onEvent(EventEnvelope event) {}
  }

  static class WantsContainers {
    @OutboxListener("map")
    void on(Map<String, Object> payload) {}

    @OutboxListener("number")
    void on(Number payload) {}

    @OutboxListener("shape")
    void on(Shape payload) {}
  }

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
  @JsonSubTypes(@JsonSubTypes.Type(Square.class))
  interface Shape {}

  record Square(int side) implements Shape {}

  static class Unresolved<T> {
    @OutboxListener("placed")
    void on(T payload) {}
  }

  @OutboxListener("placed")
  static class NoListener {}

  static class Unbindable {
    @OutboxListener("placed")
    void on(EventEnvelope event, int count) {}
  }

  static class WrongSide {
    @OutboxListener("placed")
    void on(InboxMessage message) {}
  }

  static class TwoPayloads {
    @OutboxListener("placed")
    void on(OutboxMessage message, String text, Shape shape) {}
  }

  static class ReturnsText {
    @OutboxListener("placed")
    String on(String text) {
      return text;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoInboxListeners {
    @InboxListener("paid")
    void on(InboxMessage message) {}

    @Bean
    InboxHandler plain() {
      return InboxHandler.of("paid", (message, context) -> {});
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class NoTopic {
    @Bean
    EventListener plain() {
      return event -> {};
    }
  }
}
