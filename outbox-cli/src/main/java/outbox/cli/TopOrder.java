package outbox.cli;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import outbox.metrics.MetricsSnapshot.Group;

/** In which order topics stand. */
enum TopOrder {
  TROUBLE(
      Comparator.comparingLong((Group group) -> group.failedPending().value() + group.dead().value())
          .thenComparing(Group::oldestAge)
          .reversed()),
  BACKLOG(Comparator.comparingLong((Group group) -> group.backlog().value()).reversed()),
  DEAD(Comparator.comparingLong((Group group) -> group.dead().value()).reversed()),
  OLDEST(Comparator.comparing(Group::oldestAge).reversed()),
  TOPIC(Comparator.comparing(Group::name));

  private final Comparator<Group> order;

  TopOrder(Comparator<Group> order) {
    this.order = order.thenComparing(Group::name);
  }

  List<Group> sorted(List<Group> topics) {
    return topics.stream().sorted(order).toList();
  }

  TopOrder next() {
    return values()[(ordinal() + 1) % values().length];
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
