package outbox.spring.boot;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Handles the messages of a topic of the inbox. A topic has one handler.
 *
 * <p>The method may have these parameters, in any order: {@link outbox.inbox.InboxMessage}, {@link
 * outbox.HandlerContext}, {@code String} for the payload as it is, one parameter of any other class
 * for the payload read by the application's {@link outbox.PayloadCodec}, and {@link
 * java.sql.Connection}, which makes the method {@link #transactional}.
 *
 * <p>The attributes from {@link #maxAttempts} on are settings of the topic. A property {@code
 * outbox.topics.TOPIC.…} of the same name overrides each of them.
 */
@Documented
@Reflective(ListenerHints.class)
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface InboxListener {
  /** The topic. Placeholders are resolved. */
  String value();

  /**
   * Whether the method runs in a transaction that commits together with the completion of the
   * message, so that its effects in this database happen exactly once. A method with a {@code
   * Connection} parameter does so anyway, and so does one that is {@code @Transactional} and joins
   * a transaction of the outbox's transaction manager.
   */
  boolean transactional() default false;

  /**
   * Deliveries in all; after the last failure the message is dead. 0 leaves it to the properties.
   */
  int maxAttempts() default 0;

  /** Time after which a failed message is not tried again, such as {@code 1d}. */
  String maxAge() default "";

  /** Delay after the first failure, such as {@code 5s}. */
  String baseDelay() default "";

  /** Longest delay after a failure, such as {@code 10m}. */
  String maxDelay() default "";

  /** How long a listener may run before it is interrupted, such as {@code 30s}. */
  String maxHandlingTime() default "";

  /** Exceptions after which the message is dead at once. */
  Class<? extends Throwable>[] neverRetry() default {};

  /** Exceptions after which the message is tried again, whatever the number of attempts. */
  Class<? extends Throwable>[] alwaysRetry() default {};
}
