package outbox.spring.boot;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.core.annotation.AnnotatedElementUtils;
import outbox.EventEnvelope;
import outbox.OutboxClient;

/** Publishes application events that are marked as external, in the transaction they come in. */
final class ExternalEventPublisher implements ApplicationListener<PayloadApplicationEvent<?>> {
  private final OutboxClient client;
  private final PayloadCodec codec;
  private final ConfigurableBeanFactory placeholders;

  ExternalEventPublisher(
      OutboxClient client, PayloadCodec codec, ConfigurableBeanFactory placeholders) {
    this.client = client;
    this.codec = codec;
    this.placeholders = placeholders;
  }

  @Override
  public void onApplicationEvent(PayloadApplicationEvent<?> event) {
    Object payload = event.getPayload();
    ExternalEvent mark =
        AnnotatedElementUtils.findMergedAnnotation(payload.getClass(), ExternalEvent.class);
    if (mark != null) {
      String topic = String.valueOf(placeholders.resolveEmbeddedValue(mark.value()));
      client.publish(EventEnvelope.ofJson(topic, codec.write(payload)));
    }
  }
}
