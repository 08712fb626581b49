package outbox.spring.boot;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an application event that also goes through the outbox: what is given to Spring's {@code
 * ApplicationEventPublisher} is published, as JSON, in the transaction of the publisher.
 *
 * <pre>{@code
 * @ExternalEvent(value = "order.shipped", key = "'shipped-' + orderId", tenant = "tenantId",
 *     aggregateType = "Order", aggregateId = "orderId", dueAt = "notifyAt",
 *     headers = "{region: region}")
 * record OrderShipped(String orderId, String tenantId, Instant notifyAt, String region) {}
 * }</pre>
 *
 * <p>Except for the topic and the type of the aggregate, the attributes are expressions of Spring
 * (SpEL) over the event. One that is empty, or whose value is null, sets nothing.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface ExternalEvent {
  /** The topic. Placeholders are resolved. */
  String value();

  /** Expression for the idempotency key: a tenant has one event of a key. */
  String key() default "";

  /** Expression for the tenant. */
  String tenant() default "";

  /** Type of the aggregate that the event is about: a text, not an expression. */
  String aggregateType() default "";

  /** Expression for the id of that aggregate. */
  String aggregateId() default "";

  /** Expression for the time before which the event is not delivered, such as an Instant. */
  String dueAt() default "";

  /** Expression for the time after which the event is not delivered, such as an Instant. */
  String expiresAt() default "";

  /** Expression for the correlation id. */
  String correlationId() default "";

  /** Expression for a map of headers, such as {@code {region: region, version: '2'}}. */
  String headers() default "";
}
