package outbox.spring.boot;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Handles the events of a topic. Several listeners of one topic run in the order of their beans,
 * those with a connection last; each succeeds or fails by itself.
 *
 * <p>A method may have these parameters, in any order: {@link outbox.EventEnvelope}, {@link
 * outbox.OutboxMessage}, {@link outbox.HandlerContext}, {@code String} or {@code byte[]} for the
 * payload as it is, one parameter of any other class for the payload read by the application's
 * {@link outbox.PayloadCodec}, which is Jackson's by default, and {@link java.sql.Connection}: with
 * that one the method runs in a transaction that commits together with the completion of the event.
 * Such a method may return a {@link outbox.HandlerResult}; all others return nothing. Any exception
 * means that the event is tried again.
 *
 * <p>On a class, or on the method that makes a bean, it names the topic of a plain {@link
 * outbox.EventListener}.
 */
@Documented
@Reflective
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
}
