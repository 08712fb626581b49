package outbox.cli;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import outbox.admin.metrics.MetricsSnapshot.Group;

/** In which order topics stand. */
enum TopOrder {
  TROUBLE,
  BACKLOG,
  DEAD,
  OLDEST,
  TOPIC;

  List<Group> sorted(List<Group> topics) {
    return topics.stream().sorted(order().thenComparing(Group::name)).toList();
  }

  private Comparator<Group> order() {
    return switch (this) {
      case TROUBLE ->
          most(group -> group.failedPending().value() + group.dead().value())
              .thenComparing(OLDEST.order());
      case BACKLOG -> most(group -> group.backlog().value());
      case DEAD -> most(group -> group.dead().value());
      case OLDEST -> Comparator.comparing(Group::oldestAge).reversed();
      case TOPIC -> Comparator.comparing(Group::name);
    };
  }

  private static Comparator<Group> most(ToLongFunction<Group> figure) {
    return Comparator.comparingLong(figure).reversed();
  }

  TopOrder next() {
    return switch (this) {
      case TROUBLE -> BACKLOG;
      case BACKLOG -> DEAD;
      case DEAD -> OLDEST;
      case OLDEST -> TOPIC;
      case TOPIC -> TROUBLE;
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
