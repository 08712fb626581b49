package outbox.spring.boot;

import java.util.Objects;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Prints the reason of a refused start instead of its stack trace. Comes before those of Spring,
 * which would explain its cause, such as a bean that is not there, without the property behind it.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class OutboxFailureAnalyzer extends AbstractFailureAnalyzer<OutboxSetupException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, OutboxSetupException cause) {
    return new FailureAnalysis(
        Objects.requireNonNullElse(cause.getMessage(), ""), cause.action(), cause);
  }
}
