package outbox.join;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.Joins;
import outbox.model.JoinIdentifier;
import outbox.spi.JoinStore.NewJoin;

/** What a join may be started with. */
record NewJoinRules(
    @Nullable String groupingKey,
    int expectedSteps,
    @Nullable String metadata,
    @Nullable Duration deadline) {

  NewJoinRules {
    groupingKey = groupingKey == null || groupingKey.isEmpty() ? null : groupingKey;
    if (expectedSteps <= 0) {
      throw new IllegalArgumentException(
          "expectedSteps (" + expectedSteps + ") must be at least 1: a join of nothing never ends");
    }
    if (groupingKey != null && groupingKey.length() > Joins.MAX_GROUPING_KEY_LENGTH) {
      throw new IllegalArgumentException(
          "groupingKey ("
              + groupingKey.length()
              + " characters) must have at most "
              + Joins.MAX_GROUPING_KEY_LENGTH);
    }
    if (deadline != null && (deadline.isNegative() || deadline.isZero())) {
      throw new IllegalArgumentException("deadline (" + deadline + ") must be positive");
    }
  }

  NewJoin toJoin(JoinIdentifier id) {
    return new NewJoin(id, groupingKey, expectedSteps, metadata, deadline);
  }
}
