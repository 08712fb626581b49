package outbox.jdbc.model;

import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;

/** Joins whose database fails now and then: what an operation does is done as a whole or not. */
abstract class JoinModelContract extends ModelContract<String, JoinBook> {
  @SuppressWarnings("NullAway.Init")
  private StoredJoins joins;

  abstract StoredJoins open();

  @BeforeEach
  final void openJoins() {
    joins = open();
  }

  @AfterEach
  final void closeJoins() {
    if (joins != null) {
      joins.close();
    }
  }

  @Override
  final Comparison<String, JoinBook> begin(long seed) {
    joins.startAfresh();
    return new Comparison<>(joins, new JoinModel());
  }

  @Override
  final Function<JoinBook, Step<JoinBook>> dice(long seed) {
    return new RandomJoinSteps(seed)::next;
  }

  @Test
  @Spec({"JOIN-011", "JOIN-022", "JOIN-023", "JOIN-024", "JOIN-032", "JOIN-042", "JOIN-081"})
  void joinsDoWhatTheirModelDoes() {
    playRandomly(4, 150);
  }
}
