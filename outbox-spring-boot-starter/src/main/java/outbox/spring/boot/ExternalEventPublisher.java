package outbox.spring.boot;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.core.annotation.AnnotatedElementUtils;
import outbox.EventEnvelope;
import outbox.OutboxClient;

/** Publishes application events that are marked as external, in the transaction they come in. */
final class ExternalEventPublisher implements ApplicationListener<ApplicationEvent> {
  private static final ClassValue<Optional<ExternalEvent>> MARKS =
      new ClassValue<>() {
        @Override
        protected Optional<ExternalEvent> computeValue(Class<?> type) {
          return Optional.ofNullable(
              AnnotatedElementUtils.findMergedAnnotation(type, ExternalEvent.class));
        }
      };

  private final OutboxClient client;
  private final @Nullable PayloadCodec codec;
  private final ConfigurableBeanFactory placeholders;

  /**
   * The bridge.
   *
   * @param codec null if the application did not ask for the bridge: marked events are refused
   */
  ExternalEventPublisher(
      OutboxClient client, @Nullable PayloadCodec codec, ConfigurableBeanFactory placeholders) {
    this.client = client;
    this.codec = codec;
    this.placeholders = placeholders;
  }

  @Override
  public void onApplicationEvent(ApplicationEvent event) {
    Object payload =
        event instanceof PayloadApplicationEvent<?> wrapper ? wrapper.getPayload() : event;
    MARKS.get(payload.getClass()).ifPresent(mark -> publish(mark, payload));
  }

  private void publish(ExternalEvent mark, Object payload) {
    String type = payload.getClass().getName();
    if (codec == null) {
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
    String topic = String.valueOf(placeholders.resolveEmbeddedValue(mark.value()));
    client.publish(EventEnvelope.ofJson(topic, codec.write(payload)));
  }

  /** Another thread would be outside the transaction of the publisher. */
  @Override
  public boolean supportsAsyncExecution() {
    return false;
  }
}
