package outbox.cli;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import outbox.admin.metrics.MetricsSnapshot;
import outbox.admin.metrics.MetricsSnapshot.Group;

/** The last looks at a queue: how its figures move. */
final class Trend {
  private static final int KEPT = 60;
  private static final String STEPS = "▁▂▃▄▅▆▇█";

  private final Deque<MetricsSnapshot> looks = new ArrayDeque<>();

  void add(MetricsSnapshot snapshot) {
    looks.addLast(snapshot);
    if (looks.size() > KEPT) {
      looks.removeFirst();
    }
  }

  /** By how much the backlog grew in a second since the look before. */
  double backlog() {
    return perSecond(looks.getLast().backlog().value() - before().backlog().value());
  }

  /** By how much the backlog of each topic grew in a second since the look before. */
  ToDoubleFunction<Group> topics() {
    Map<String, Long> former = new HashMap<>();
    before().topics().forEach(group -> former.put(group.name(), group.backlog().value()));
    return group -> perSecond(group.backlog().value() - former.getOrDefault(group.name(), 0L));
  }

  private MetricsSnapshot before() {
    MetricsSnapshot last = looks.removeLast();
    MetricsSnapshot before = looks.isEmpty() ? last : looks.getLast();
    looks.addLast(last);
    return before;
  }

  private double perSecond(long difference) {
    Duration time = Duration.between(before().at(), looks.getLast().at());
    return time.isZero() || time.isNegative() ? 0 : difference / (time.toNanos() / 1e9);
  }

  /** The looks as a line of bars, the last at the right; the highest is full. */
  String line(ToDoubleFunction<MetricsSnapshot> figure) {
    double highest = looks.stream().mapToDouble(figure).max().orElse(0);
    StringBuilder line = new StringBuilder();
    for (MetricsSnapshot look : looks) {
      double share = highest == 0 ? 0 : figure.applyAsDouble(look) / highest;
      line.append(STEPS.charAt((int) Math.round(share * (STEPS.length() - 1))));
    }
    return line.toString();
  }
}
