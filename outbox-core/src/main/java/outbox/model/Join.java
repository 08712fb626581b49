package outbox.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A join at one moment. Immutable; {@code completedSteps + failedSteps} is never more than {@code
 * expectedSteps}.
 *
 * @param groupingKey what it belongs to, such as a customer or a workflow; null if unscoped
 * @param lastUpdatedAt when a counter or the status last changed, by the database's clock
 * @param deadline when it fails if it is still pending; null for never
 * @param metadata the caller's own, not interpreted
 */
public record Join(
    JoinIdentifier id,
    @Nullable String groupingKey,
    int expectedSteps,
    int completedSteps,
    int failedSteps,
    JoinStatus status,
    Instant createdAt,
    Instant lastUpdatedAt,
    @Nullable Instant deadline,
    @Nullable String metadata) {

  /** Whether every expected step has ended. */
  public boolean isComplete() {
    return completedSteps + failedSteps == expectedSteps;
  }

  /** How many steps have still to end. */
  public int missingSteps() {
    return expectedSteps - completedSteps - failedSteps;
  }

  /**
   * This join after so many more of its steps ended. What is more than it expects does not count,
   * and nothing counts once it is final.
   */
  public Join after(StepStatus ended, int steps, Instant now) {
    int counted = status.isFinal() ? 0 : Math.min(steps, missingSteps());
    if (counted == 0) {
      return this;
    }
    int completed = completedSteps + (ended == StepStatus.COMPLETED ? counted : 0);
    int failed = failedSteps + (ended == StepStatus.FAILED ? counted : 0);
    JoinStatus next = JoinStatus.PENDING;
    if (completed + failed == expectedSteps) {
      next = failed > 0 ? JoinStatus.FAILED : JoinStatus.COMPLETED;
    }
    return new Join(
        id,
        groupingKey,
        expectedSteps,
        completed,
        failed,
        next,
        createdAt,
        now,
        deadline,
        metadata);
  }

  /** This join, ended by something else than its steps. */
  public Join ended(JoinStatus end, Instant now) {
    return new Join(
        id,
        groupingKey,
        expectedSteps,
        completedSteps,
        failedSteps,
        end,
        createdAt,
        now,
        deadline,
        metadata);
  }

  /** Metadata does not belong in a log. */
  @Override
  public String toString() {
    return "Join["
        + id
        + " "
        + status
        + " completed="
        + completedSteps
        + " failed="
        + failedSteps
        + " expected="
        + expectedSteps
        + "]";
  }
}
