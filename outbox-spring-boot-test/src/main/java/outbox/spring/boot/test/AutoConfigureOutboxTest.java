package outbox.spring.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Lets a test of a Spring Boot application decide when listeners run. Stands beside {@code
 * SpringBootTest}, or beside a slice such as {@code JdbcTest}, to which it adds the outbox.
 *
 * <p>The test can inject an {@link outbox.testing.OutboxDriver}, whose {@code runAll()} runs the
 * listeners of all outboxes and of the inbox, and {@link outbox.testing.PublishedEvents}. These
 * also show what the transaction of a {@code Transactional} test has stored and will roll back.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ImportAutoConfiguration
public @interface AutoConfigureOutboxTest {

  /**
   * Whether the events of the outbox and the messages of the inbox are deleted before each test, so
   * that it sees and runs its own only.
   */
  boolean clean() default true;
}
