package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications that do not start, and why. */
final class FailedStarts {
  /** The outbox without anything that it needs. */
  static final ApplicationContextRunner OUTBOX_ALONE =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  OutboxAutoConfiguration.class,
                  OutboxJacksonAutoConfiguration.class,
                  Boot.JACKSON));

  /** With a database of its own. */
  static final ApplicationContextRunner APPLICATION =
      OUTBOX_ALONE
          .withConfiguration(AutoConfigurations.of(Boot.DATA_SOURCE, Boot.TRANSACTION_MANAGER))
          .withPropertyValues("spring.datasource.generate-unique-name=true");

  private FailedStarts() {}

  /** What the user is told of the start that failed. */
  static FailureAnalysis failureOf(ApplicationContextRunner runner) {
    FailureAnalysis[] analysis = new FailureAnalysis[1];
    runner.run(
        context ->
            analysis[0] =
                new OutboxFailureAnalyzer()
                    .analyze(Objects.requireNonNull(context.getStartupFailure())));
    assertThat(analysis[0]).as("an explained failure").isNotNull();
    return analysis[0];
  }
}
