package outbox.spring.boot;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Listens to the events of a topic. Several listeners of a topic run in the order of their beans,
 * transactional ones last; each succeeds or fails by itself.
 *
 * <p>A method may have these parameters, in any order: {@link outbox.EventEnvelope}, {@link
 * outbox.OutboxMessage}, {@link outbox.HandlerContext}, {@code String} or {@code byte[]} for the
 * payload as it is, one parameter of any other class for the payload read by the application's
 * {@link outbox.PayloadCodec}, which is Jackson's by default, and {@link java.sql.Connection},
 * which makes the method {@link #transactional}. A transactional method may return a {@link
 * outbox.HandlerResult}; all others return nothing. After any exception the event is tried again.
 *
 * <p>On a class, or on the method that makes a bean, it names the topic of a plain {@link
 * outbox.EventListener}.
 *
 * <p>The attributes from {@link #maxAttempts} on are settings of the topic, in every outbox of the
 * application. A property {@code outbox.topics.TOPIC.…} of the same name overrides each of them.
 */
@Documented
@Reflective(ListenerHints.class)
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface OutboxListener {
  /** The topic, or {@code *} for a listener of every event. Placeholders are resolved. */
  String value();

  /**
   * By which a failed event keeps what became of this listener, so that the next delivery runs only
   * those that are not done. Unique among the listeners of the topic; by default the name of the
   * bean, followed by a dot and the name of the method if a method is annotated.
   */
  String name() default "";

  /**
   * Bean name or qualifier of the {@link outbox.jdbc.JdbcOutbox} that it listens to, where there
   * are several; the application's own by default.
   */
  String outbox() default "";

  /**
   * Whether the method runs in a transaction that commits together with the completion of the
   * event, so that its effects in this database happen exactly once. A method with a {@code
   * Connection} parameter does so anyway, and so does one that is {@code @Transactional} and joins
   * a transaction of the outbox's transaction manager.
   */
  boolean transactional() default false;

  /** Deliveries in all; after the last failure the event is dead. 0 leaves it to the properties. */
  int maxAttempts() default 0;

  /** Time after which a failed event is not tried again, such as {@code 1d}. */
  String maxAge() default "";

  /** Delay after the first failure, such as {@code 5s}. */
  String baseDelay() default "";

  /** Longest delay after a failure, such as {@code 10m}. */
  String maxDelay() default "";

  /** How long a listener may run before it is interrupted, such as {@code 30s}. */
  String maxHandlingTime() default "";

  /** Exceptions after which the event is dead at once. */
  Class<? extends Throwable>[] neverRetry() default {};

  /** Exceptions after which the event is tried again, whatever the number of attempts. */
  Class<? extends Throwable>[] alwaysRetry() default {};
}
