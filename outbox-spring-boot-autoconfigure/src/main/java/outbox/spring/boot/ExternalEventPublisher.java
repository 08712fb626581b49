package outbox.spring.boot;

import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.core.annotation.AnnotatedElementUtils;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.PayloadCodec;

/**
 * Publishes application events that are marked as external, in the transaction they come in. Hears
 * of events while other beans are still being made, so it asks for the outbox late.
 */
final class ExternalEventPublisher
    implements ApplicationListener<ApplicationEvent>, SmartInitializingSingleton {
  private static final ClassValue<Optional<Mark>> MARKS =
      new ClassValue<>() {
        @Override
        protected Optional<Mark> computeValue(Class<?> type) {
          return Optional.ofNullable(
                  AnnotatedElementUtils.findMergedAnnotation(type, ExternalEvent.class))
              .map(mark -> new Mark(mark, new ExternalFacts(type, mark)));
        }
      };

  private final boolean wanted;
  private final ObjectProvider<OutboxClient> client;
  private final ObjectProvider<PayloadCodec> codec;
  private final ConfigurableBeanFactory placeholders;

  /**
   * The bridge.
   *
   * @param wanted false if the application has not decided: marked events are refused
   */
  ExternalEventPublisher(
      boolean wanted,
      ObjectProvider<OutboxClient> client,
      ObjectProvider<PayloadCodec> codec,
      ConfigurableBeanFactory placeholders) {
    this.wanted = wanted;
    this.client = client;
    this.codec = codec;
    this.placeholders = placeholders;
  }

  @Override
  public void afterSingletonsInstantiated() {
    if (wanted && codec.getIfUnique() == null) {
      throw new OutboxSetupException(
          "outbox.application-events (true) needs something that writes events as JSON.",
          "Add " + BootLine.JSON_STARTER + " or define a PayloadCodec bean.");
    }
  }

  @Override
  public void onApplicationEvent(ApplicationEvent event) {
    Object payload =
        event instanceof PayloadApplicationEvent<?> wrapper ? wrapper.getPayload() : event;
    MARKS.get(payload.getClass()).ifPresent(mark -> publish(mark, payload));
  }

  private void publish(Mark mark, Object payload) {
    String type = payload.getClass().getName();
    if (!wanted) {
      throw new IllegalStateException(
          type
              + " is marked with @ExternalEvent, but outbox.application-events is not set; true"
              + " sends such events through the outbox, false leaves them inside the application");
    }
    if (payload instanceof ApplicationEvent) {
      throw new IllegalStateException(
          type
              + " is marked with @ExternalEvent, but extends ApplicationEvent, whose source cannot"
              + " leave the application; mark a class of its own, such as a record");
    }
    String topic = String.valueOf(placeholders.resolveEmbeddedValue(mark.annotation.value()));
    EventEnvelope.Builder event = EventEnvelope.builder(topic).payload(payload, codec.getObject());
    mark.facts.addTo(event, payload);
    client.getObject().publish(event.build());
  }

  private record Mark(ExternalEvent annotation, ExternalFacts facts) {}

  /** Another thread would be outside the transaction of the publisher. */
  @Override
  public boolean supportsAsyncExecution() {
    return false;
  }
}
