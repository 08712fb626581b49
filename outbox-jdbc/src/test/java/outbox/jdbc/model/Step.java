package outbox.jdbc.model;

import java.util.function.Function;

/** One operation with all its arguments, so that it can be played again without the dice. */
record Step(String text, Function<Queue, Object> operation) {

  Object on(Queue queue) {
    return operation.apply(queue);
  }

  @Override
  public String toString() {
    return text;
  }
}
