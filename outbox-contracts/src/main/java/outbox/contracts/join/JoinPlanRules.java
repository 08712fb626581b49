package outbox.contracts.join;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.join.JoinPlan;
import outbox.model.MessageId;

/** A join in one expression. */
interface JoinPlanRules extends JoinsUnderTest {

  @Test
  default void aPlanIsOneTransaction() throws SQLException {
    MessageId existing = enqueue("existing");
    JoinPlan.Started rolledBack;
    try (Connection connection = beginTransaction()) {
      rolledBack =
          joins().in(connection).plan().step("extract", "{}").onComplete("next", "{}").start();
      connection.rollback();
    }
    assertThat(joins().find(rolledBack.join())).isEmpty();
    assertThat(row(rolledBack.steps().get(0).value())).isEmpty();

    JoinPlan.Started started =
        joins()
            .plan()
            .groupingKey("customer")
            .metadata("{}")
            .deadline(Duration.ofHours(1))
            .step("extract", "1")
            .step(EventEnvelope.ofJson("extract", "2"))
            .step(existing)
            .onComplete("next", "{}")
            .onFail("other", "{}")
            .start();

    assertThat(stored(started.join()).expectedSteps()).isEqualTo(3);
    assertThat(stored(started.join()).deadline()).isNotNull();
    assertThat(joins().missingSteps(started.join())).hasSize(3);
    complete(started.steps().stream().map(MessageId::value).toArray(String[]::new));
    deliver(requireNonNull(started.waitId()));
    assertThat(claimDue("next")).hasSize(1);
  }

  @Test
  default void aPlanMayTolerateFailedSteps() throws SQLException {
    JoinPlan.Started started =
        joins()
            .plan()
            .step("extract", "1")
            .onComplete("next", "{}")
            .onFail("other", "{}")
            .toleratingFailedSteps()
            .start();
    kill(started.steps().get(0).value());

    deliver(requireNonNull(started.waitId()));

    assertThat(claimDue("next")).hasSize(1);
  }

  @Test
  default void aPlanThatMakesNoSenseIsRefusedWithoutATrace() {
    assertThatThrownBy(() -> joins().plan().onComplete("next", "{}").start())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expectedSteps (0)");
    assertThatThrownBy(() -> joins().plan().step("a", "{}").onFail("other", "{}").start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("onComplete");
    assertThatThrownBy(() -> joins().plan().step("a", "{}").step(new MessageId("unknown")).start())
        .isInstanceOf(IllegalStateException.class);
    assertThat(claimDue("a")).isEmpty();
  }
}
