package outbox.cli;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.EventQuery;
import outbox.admin.data.EventView;
import outbox.admin.data.InboxQuery;
import outbox.admin.data.InboxView;
import outbox.model.DeadLetterFilter;
import picocli.CommandLine.Option;

/** Which messages are meant: those that meet all that is given. */
final class FilterOptions {
  @Option(names = "--topic", description = "of this topic")
  @Nullable String topic;

  @Option(names = "--tenant", description = "of this tenant; not of an inbox")
  @Nullable String tenant;

  @Option(names = "--correlation", description = "with this correlation id; not of an inbox")
  @Nullable String correlation;

  @Option(names = "--source", description = "from this sender; of an inbox only")
  @Nullable String source;

  @Option(names = "--error", description = "with this text in the error")
  @Nullable String error;

  @Option(
      names = "--since",
      description =
          "that died (dead), were completed (processed, done) or were stored (others) at this"
              + " instant or later: 2026-03-01T12:00:00Z, or 15m, 2h, 7d ago")
  @Nullable Instant since;

  @Option(names = "--until", description = "the same, before this instant")
  @Nullable Instant until;

  EventQuery events(EventView view) {
    requireOrder();
    refuse("--source", source, "an outbox has none; it is for --inbox");
    return EventQuery.of(view)
        .topic(topic)
        .tenant(tenant)
        .correlation(correlation)
        .error(error)
        .from(since)
        .to(until);
  }

  InboxQuery messages(InboxView view) {
    requireOrder();
    refuseOutboxOnly();
    return InboxQuery.of(view).source(source).topic(topic).error(error).from(since).to(until);
  }

  DeadLetterFilter dead(boolean inbox) {
    requireOrder();
    if (inbox) {
      refuseOutboxOnly();
    } else {
      refuse("--source", source, "an outbox has none; it is for --inbox");
    }
    return new DeadLetterFilter(topic, tenant, source, correlation, error, since, until);
  }

  private void requireOrder() {
    if (since != null && until != null && !since.isBefore(until)) {
      throw new WrongCallException(
          "--since (" + since + ") must be before --until (" + until + "); 2h is before 1h");
    }
  }

  private void refuseOutboxOnly() {
    refuse("--tenant", tenant, "an inbox has none; use --source");
    refuse("--correlation", correlation, "an inbox has none; use --source");
  }

  private static void refuse(String option, @Nullable String value, String why) {
    if (value != null) {
      throw new WrongCallException(option + " (" + value + "): " + why);
    }
  }

  /** What is given, by its name, for people who are about to say yes. */
  Map<String, Object> given() {
    Map<String, Object> given = new LinkedHashMap<>();
    put(given, "topic", topic);
    put(given, "tenant", tenant);
    put(given, "correlation", correlation);
    put(given, "source", source);
    put(given, "error", error);
    put(given, "since", since);
    put(given, "until", until);
    return given;
  }

  private static void put(Map<String, Object> given, String name, @Nullable Object value) {
    if (value != null) {
      given.put(name, value);
    }
  }
}
