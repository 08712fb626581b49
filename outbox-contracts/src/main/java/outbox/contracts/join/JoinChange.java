package outbox.contracts.join;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.MessageId;
import outbox.model.StepStatus;

/** The calls that count a step of a join, or end the join without one. */
enum JoinChange {
  ACK(JoinStatus.COMPLETED),
  FAIL(JoinStatus.FAILED),
  REPORT_COMPLETED(JoinStatus.COMPLETED),
  REPORT_FAILED(JoinStatus.FAILED),
  ATTACH_DONE(JoinStatus.COMPLETED),
  ATTACH_DEAD(JoinStatus.FAILED),
  CANCEL(JoinStatus.CANCELLED),
  LOCK_OVERDUE(JoinStatus.FAILED),
  FAIL_OVERDUE(JoinStatus.FAILED);

  /** After which {@link #LOCK_OVERDUE} and {@link #FAIL_OVERDUE} end a join that they started. */
  static final Duration DEADLINE = Duration.ofSeconds(5);

  /** How it ends a join that expects one step. */
  final JoinStatus end;

  JoinChange(JoinStatus end) {
    this.end = end;
  }

  boolean isStep() {
    return this != CANCEL && this != LOCK_OVERDUE && this != FAIL_OVERDUE;
  }

  StepStatus stepEnd() {
    return end == JoinStatus.COMPLETED ? StepStatus.COMPLETED : StepStatus.FAILED;
  }

  /** A join that this call can change. */
  JoinIdentifier start(JoinsUnderTest under, int expectedSteps) {
    boolean overdue = this == LOCK_OVERDUE || this == FAIL_OVERDUE;
    return under.joins().startJoin("contract", expectedSteps, null, overdue ? DEADLINE : null);
  }

  /** Enqueues the message whose end this call counts, if it counts one. */
  void prepare(JoinsUnderTest under, JoinIdentifier join, String messageId) {
    if (!isStep()) {
      return;
    }
    MessageId message = under.enqueue(messageId);
    switch (this) {
      case ATTACH_DONE -> under.complete(messageId);
      case ATTACH_DEAD -> under.kill(messageId);
      default -> under.joins().attach(join, message);
    }
  }

  void apply(JoinsUnderTest under, JoinIdentifier join, String messageId) throws SQLException {
    switch (this) {
      case ACK -> under.complete(messageId);
      case FAIL -> under.kill(messageId);
      case REPORT_COMPLETED -> under.joins().reportStepCompleted(join, new MessageId(messageId));
      case REPORT_FAILED -> under.joins().reportStepFailed(join, new MessageId(messageId));
      case ATTACH_DONE, ATTACH_DEAD ->
          under.joins().attachAll(join, List.of(new MessageId(messageId)));
      case CANCEL -> under.joins().cancelJoin(join);
      case LOCK_OVERDUE -> {
        try (Connection connection = under.beginTransaction()) {
          under.joinStore().lock(connection, join);
          connection.commit();
        }
      }
      case FAIL_OVERDUE -> under.call(connection -> under.joinStore().failOverdue(connection, 100));
    }
  }
}
