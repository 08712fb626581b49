package outbox.jdbc.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.model.Queue.Claimed;

/**
 * Plays steps on the product and on its model side by side, up to the first difference. A step that
 * fails because of its {@link Fault} has happened as a whole or not at all.
 */
final class Comparison<R, M extends Machine<R>> {
  private final M product;
  private final M model;
  private final List<Step<M>> played = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();
  private @Nullable String difference;

  Comparison(M product, M model) {
    this.product = product;
    this.model = model;
  }

  /** At most this many steps, each chosen by the model's present state. */
  Comparison<R, M> play(int steps, Function<M, Step<M>> next) {
    while (played.size() < steps && difference == null) {
      play(next.apply(model));
    }
    return this;
  }

  Comparison<R, M> play(List<Step<M>> steps) {
    return play(steps.size(), any -> steps.get(played.size()));
  }

  private void play(Step<M> step) {
    played.add(step);
    product.failsBy(step.fault());
    try {
      Object result = step.on(product);
      product.failsBy(null);
      compare(step, result);
    } catch (RuntimeException e) {
      product.failsBy(null);
      if (Fault.caused(e)) {
        compareAfterFault(step);
      } else {
        difference = step + " threw " + e + (e.getCause() == null ? "" : ": " + e.getCause());
      }
    }
  }

  private void compare(Step<M> step, Object result) {
    Map<String, R> table = product.rows();
    Object expected = onModel(step, table);
    lines.add(step + "  ->  " + brief(expected));
    if (!expected.equals(result)) {
      difference = step + " returned\n  " + result + " instead of\n  " + expected;
    } else if (!table.equals(model.rows())) {
      difference = step + " left" + rows(table, model.rows());
    }
  }

  private void compareAfterFault(Step<M> step) {
    Map<String, R> table = product.rows();
    Map<String, R> before = model.rows();
    if (table.equals(before)) {
      lines.add(step + "  ->  failed, nothing happened");
      return;
    }
    onModel(step, table);
    lines.add(step + "  ->  failed, it happened all the same");
    if (!table.equals(model.rows())) {
      difference =
          step
              + " happened in part: it left"
              + rows(table, model.rows())
              + "\nor, if nothing was to happen,"
              + rows(table, before);
    }
  }

  private Object onModel(Step<M> step, Map<String, R> table) {
    model.choosesAsIn(table);
    return step.on(model);
  }

  private static Object brief(Object result) {
    return result instanceof Set<?> set && set.stream().allMatch(Claimed.class::isInstance)
        ? set.stream().map(each -> ((Claimed) each).id()).sorted().toList()
        : result;
  }

  private static <R> String rows(Map<String, R> table, Map<String, R> expected) {
    StringBuilder text = new StringBuilder();
    TreeSet<String> ids = new TreeSet<>(table.keySet());
    ids.addAll(expected.keySet());
    for (String id : ids) {
      R row = table.get(id);
      R wanted = expected.get(id);
      if (row == null || !row.equals(wanted)) {
        text.append("\n  ").append(id).append(": ").append(row);
        text.append(" instead of\n  ").append(id).append(": ").append(wanted);
      }
    }
    return text.toString();
  }

  boolean differs() {
    return difference != null;
  }

  /** Up to the difference, which the last of them shows. */
  List<Step<M>> steps() {
    return played;
  }

  String report() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < lines.size(); i++) {
      text.append(i + 1).append(". ").append(lines.get(i)).append('\n');
    }
    return text.append(difference).toString();
  }
}
