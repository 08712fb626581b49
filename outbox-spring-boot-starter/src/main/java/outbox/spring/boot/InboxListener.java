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
 * java.sql.Connection}: with that one the method runs in a transaction that commits together with
 * the completion of the message, so that its effects in this database happen exactly once.
 */
@Documented
@Reflective
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface InboxListener {
  /** The topic. Placeholders are resolved. */
  String value();
}
