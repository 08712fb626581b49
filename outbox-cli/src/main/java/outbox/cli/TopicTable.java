package outbox.cli;

import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import outbox.admin.metrics.Count;
import outbox.admin.metrics.MetricsSnapshot.Group;

/**
 * Topics with their figures.
 *
 * @param trend by how much the backlog of one grows in a second; null if that is not known
 */
record TopicTable(List<Group> topics, @Nullable ToDoubleFunction<Group> trend) {

  List<String> lines(Screen screen) {
    Table table =
        new Table()
            .flexible("TOPIC", 12)
            .number("BACKLOG")
            .number("CHANGE")
            .number("SCHEDULED")
            .number("FAILING")
            .number("DEAD")
            .number("OLDEST");
    topics.forEach(
        topic ->
            table.row(
                topic.name().isEmpty() ? "(none)" : Shown.line(topic.name()),
                Shown.count(topic.backlog()),
                trend == null ? "" : change(trend.applyAsDouble(topic)),
                Shown.count(topic.scheduled()),
                marked(topic.failedPending(), Ink.WARNING),
                marked(topic.dead(), Ink.BAD),
                topic.oldestAge().isZero() ? "-" : Shown.age(topic.oldestAge())));
    return table.lines(screen);
  }

  static String change(double perSecond) {
    if (Math.abs(perSecond) < 0.05) {
      return "0/s";
    }
    return (perSecond > 0 ? "+" : "-") + Shown.rate(Math.abs(perSecond));
  }

  private static Table.Cell marked(Count count, Ink ink) {
    return new Table.Cell(Shown.count(count), count.value() > 0 ? ink : Ink.PLAIN);
  }
}
