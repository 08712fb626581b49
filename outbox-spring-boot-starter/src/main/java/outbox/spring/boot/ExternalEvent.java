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
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface ExternalEvent {
  /** The topic. Placeholders are resolved. */
  String value();
}
