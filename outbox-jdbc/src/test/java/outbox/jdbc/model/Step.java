package outbox.jdbc.model;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One operation with all its arguments, so that it can be played again without the dice.
 *
 * @param fault what goes wrong in the product meanwhile; null for nothing
 */
record Step<M>(String text, Function<M, Object> operation, @Nullable Fault fault) {

  Step(String text, Function<M, Object> operation) {
    this(text, operation, null);
  }

  Object on(M machine) {
    return operation.apply(machine);
  }

  @Override
  public String toString() {
    return fault == null ? text : text + " while " + fault;
  }
}
