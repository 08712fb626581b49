package outbox.spring.boot;

import java.util.Objects;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints the reason of a refused start instead of its stack trace. */
final class OutboxFailureAnalyzer extends AbstractFailureAnalyzer<OutboxSetupException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, OutboxSetupException cause) {
    return new FailureAnalysis(
        Objects.requireNonNullElse(cause.getMessage(), ""), cause.action(), cause);
  }
}
