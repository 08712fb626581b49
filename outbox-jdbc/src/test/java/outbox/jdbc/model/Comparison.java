package outbox.jdbc.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.model.Queue.Claimed;
import outbox.testing.EventStoreContract.Row;

/** Plays steps on the queue and on the model side by side, up to the first difference. */
final class Comparison {
  private final OutboxQueue queue;
  private final QueueModel model;
  private final List<Step> played = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();
  private @Nullable String difference;

  Comparison(OutboxQueue queue, boolean deletesWhenDone) {
    this.queue = queue;
    this.model = new QueueModel(deletesWhenDone);
    queue.startAfresh(deletesWhenDone);
  }

  /** At most this many steps, each chosen by the model's present state. */
  Comparison play(int steps, Function<QueueModel, Step> next) {
    while (played.size() < steps && difference == null) {
      play(next.apply(model));
    }
    return this;
  }

  Comparison play(List<Step> steps) {
    return play(steps.size(), any -> steps.get(played.size()));
  }

  private void play(Step step) {
    played.add(step);
    Object real;
    try {
      real = step.on(queue);
    } catch (RuntimeException e) {
      difference = step + " threw " + e + (e.getCause() == null ? "" : ": " + e.getCause());
      return;
    }
    Map<String, Row> table = queue.rows();
    model.choosesAsIn(table);
    Object expected = step.on(model);
    lines.add(step + "  ->  " + brief(expected));
    if (!expected.equals(real)) {
      difference = step + " returned\n  " + real + " instead of\n  " + expected;
    } else if (!table.equals(model.rows())) {
      difference = step + " left" + rows(table, model.rows());
    }
  }

  private static Object brief(Object result) {
    return result instanceof Set<?> set && set.stream().allMatch(Claimed.class::isInstance)
        ? set.stream().map(each -> ((Claimed) each).id()).sorted().toList()
        : result;
  }

  private static String rows(Map<String, Row> table, Map<String, Row> expected) {
    StringBuilder text = new StringBuilder();
    TreeSet<String> ids = new TreeSet<>(table.keySet());
    ids.addAll(expected.keySet());
    for (String id : ids) {
      Row row = table.get(id);
      Row wanted = expected.get(id);
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
  List<Step> steps() {
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
