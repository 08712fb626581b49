package outbox.contracts.join;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.join.JoinCoordinator;
import outbox.join.JoinHousekeeping;
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

      assertThat(log.infos())
          .singleElement()
          .asString()
          .contains("join=" + join, "groupingKey=customer-7", "expectedSteps=3");
      assertThat(log.debugs()).singleElement().asString().contains("join=" + join, "[a]");
      assertThat(log.all()).noneMatch(line -> line.contains("secret"));
    }
  }

  @Test
  @Spec("JOIN-072")
  default void theEndOfAJoinIsLoggedWhateverEndsIt() throws SQLException {
    for (JoinChange change : JoinChange.values()) {
      if (change == JoinChange.LOCK_OVERDUE || change == JoinChange.FAIL_OVERDUE) {
        continue;
      }
      JoinIdentifier join = change.start(this, 1);
      change.prepare(this, join, change.name());
      try (LogCapture log = LogCapture.of(JoinCoordinator.class.getName())) {
        change.apply(this, join, change.name());

        assertThat(log.infos())
            .as("%s", change)
            .singleElement()
            .asString()
            .contains(
                "join ended join=" + join + " status=" + change.end,
                "completed=" + stored(join).completedSteps(),
                "failed=" + stored(join).failedSteps(),
                "expected=1");
      }
    }
  }

  @Test
  @Spec("JOIN-072")
  default void theEndOfAnOverdueJoinIsLoggedByItsWaitAndByHousekeeping() throws SQLException {
    JoinIdentifier awaited = joins().startJoin(null, 1, null, Duration.ofSeconds(5));
    MessageId waiting = waitFor(awaited);
    JoinIdentifier other = joins().startJoin(null, 1, null, Duration.ofSeconds(5));
    advance(Duration.ofSeconds(6));
    try (LogCapture log = LogCapture.of(JoinCoordinator.class.getName())) {
      deliver(waiting);
      new JoinHousekeeping(this::open, tracker(), null).finish();

      for (JoinIdentifier join : List.of(awaited, other)) {
        assertThat(log.infos())
            .filteredOn(line -> line.contains("join=" + join))
            .singleElement()
            .asString()
            .contains("join ended", "status=FAILED completed=0 failed=0 expected=1");
      }
    }
  }

  @Test
  @Spec("JOIN-073")
  default void decisionsAreLogged() throws SQLException {
    JoinIdentifier good = joinOf(1, "a");
    JoinIdentifier bad = joinOf(1, "b");
    MessageId well = waitFor(good);
    MessageId wrong = waitFor(bad);
    MessageId nothing = joins().enqueueJoinWait(bad, true, "went-well", "{}", null, null);
    try (LogCapture log = LogCapture.of(JoinWaitHandler.class.getName())) {
      deliver(well);
      complete("a");
      deliver(well);
      kill("b");
      deliver(wrong);
      deliver(nothing);

      assertThat(log.debugs())
          .anyMatch(line -> line.contains("parked join=" + good))
          .anyMatch(line -> line.contains("COMPLETED, continuing join=" + good + " with=went-well"))
          .anyMatch(line -> line.contains("FAILED, continuing join=" + bad + " with=went-wrong"))
          .anyMatch(line -> line.contains("FAILED, continuing join=" + bad + " with=nothing"))
          .noneMatch(line -> line.contains("ok"));
    }
  }
}
