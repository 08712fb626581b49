package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import outbox.join.JoinCoordinator;
import outbox.join.JoinWaitHandler;
import outbox.model.JoinIdentifier;
import outbox.model.MessageId;

/** What is logged of joins, and that it is never content. */
interface JoinLogRules extends JoinsUnderTest {

  @Test
  default void aGroupingKeyBeginsNoLineOfItsOwn() {
    try (LogCapture log = LogCapture.of("outbox")) {
      joins().startJoin("x\r\nFORGED", 1, null);

      assertThat(log.all()).isNotEmpty().noneMatch(line -> line.contains("\nFORGED"));
    }
  }

  @Test
  @Spec({"JOIN-070", "JOIN-071"})
  default void startAndAttachAreLogged() {
    try (LogCapture log = LogCapture.of(JoinCoordinator.class.getName())) {
      JoinIdentifier join = joins().startJoin("customer-7", 3, "secret metadata");
      joins().attach(join, enqueue("a"));

      assertThat(log.all())
          .anySatisfy(
              line ->
                  assertThat(line)
                      .contains("INFO")
                      .contains("join=" + join)
                      .contains("groupingKey=customer-7")
                      .contains("expectedSteps=3"))
          .anySatisfy(
              line -> assertThat(line).contains("FINE").contains("join=" + join).contains("[a]"))
          .noneSatisfy(line -> assertThat(line).contains("secret"));
    }
  }

  @Test
  @Spec("JOIN-072")
  default void theEndOfAJoinIsLogged() {
    JoinIdentifier join = joinOf(1, "a");
    try (LogCapture log = LogCapture.of(JoinCoordinator.class.getName())) {
      kill("a");

      assertThat(log.all())
          .anySatisfy(
              line ->
                  assertThat(line)
                      .contains("INFO")
                      .contains("join=" + join)
                      .contains("status=FAILED")
                      .contains("failed=1"));
    }
  }

  @Test
  @Spec("JOIN-073")
  default void decisionsAreLogged() throws SQLException {
    JoinIdentifier join = joinOf(1, "a");
    MessageId waiting = waitFor(join);
    try (LogCapture log = LogCapture.of(JoinWaitHandler.class.getName())) {
      deliver(waiting);
      complete("a");
      deliver(waiting);

      assertThat(log.all())
          .anySatisfy(line -> assertThat(line).contains("parked").contains("join=" + join))
          .anySatisfy(line -> assertThat(line).contains("COMPLETED").contains("with=went-well"))
          .noneSatisfy(line -> assertThat(line).contains("ok"));
    }
  }
}
