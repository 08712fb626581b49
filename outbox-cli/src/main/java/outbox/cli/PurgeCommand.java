package outbox.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.json.JsonObject;
import outbox.admin.metrics.Count;
import outbox.internal.util.Pause;
import outbox.spi.ConnectionProvider;
import outbox.spi.EndedEventStore;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Removes messages that have ended, in small batches that leave the database time for others. */
@Command(
    name = "purge",
    description = "Removes completed or dead messages for good, once they are old enough.")
final class PurgeCommand extends QueueCommand {
  private static final int BATCH = 500;

  @Option(
      names = "--done",
      paramLabel = "<age>",
      description = "those completed longer ago than this, such as 7d")
  @Nullable Duration done;

  @Option(
      names = "--dead",
      paramLabel = "<age>",
      description = "those that died longer ago than this, such as 90d")
  @Nullable Duration dead;

  @Mixin ConfirmOptions confirm = new ConfirmOptions();

  @Override
  public Integer call() {
    List<OldMessages> meant = meant();
    OperatedDatabase database = queue.open();
    Map<OldMessages, Count> found = new LinkedHashMap<>();
    meant.forEach(old -> found.put(old, old.count(database, queue)));
    if (confirm.dryRun || found.values().stream().allMatch(count -> count.value() == 0)) {
      report(found, Map.of(), false);
      return 0;
    }
    String question =
        "Remove " + listed(found) + " from " + queue.tableName() + " in " + database.name() + "?";
    if (!confirm.confirmed(question, terminal(), err())) {
      return Main.NOT_CONFIRMED;
    }
    try (Interruptible work = new Interruptible(err())) {
      report(found, purge(found, work), work.isStopped());
      return work.isStopped() ? Main.FAILED : 0;
    }
  }

  private List<OldMessages> meant() {
    List<OldMessages> meant = new ArrayList<>();
    if (done != null) {
      meant.add(new OldMessages(false, done));
    }
    if (dead != null) {
      meant.add(new OldMessages(true, dead));
    }
    if (meant.isEmpty()) {
      throw new WrongCallException("give --done or --dead, each with an age such as 30d");
    }
    return meant;
  }

  private static String listed(Map<OldMessages, Count> found) {
    return found.entrySet().stream()
        .map(entry -> entry.getKey().describe(entry.getValue()))
        .collect(Collectors.joining(" and "));
  }

  private Map<OldMessages, Long> purge(Map<OldMessages, Count> found, Interruptible work) {
    boolean open = found.values().stream().anyMatch(Count::atLeast);
    long total = open ? 0 : found.values().stream().mapToLong(Count::value).sum();
    Map<OldMessages, Long> purged = new LinkedHashMap<>();
    if (json) {
      found.keySet().forEach(old -> purge(old, purged, work, null));
      return purged;
    }
    try (Progress progress =
        new Progress(err(), terminal(), "purge", total, "waiting for the database")) {
      found.keySet().forEach(old -> purge(old, purged, work, progress));
    }
    return purged;
  }

  /** Rests after each batch for as long as it took: half of one connection is enough. */
  private void purge(
      OldMessages old,
      Map<OldMessages, Long> purged,
      Interruptible work,
      @Nullable Progress progress) {
    EndedEventStore store = queue.store();
    ConnectionProvider connections = queue.connections();
    int removed = BATCH;
    while (removed == BATCH && !work.isStopped()) {
      long begun = System.nanoTime();
      removed = connections.inAutoCommit(connection -> old.purge(store, connection, BATCH));
      purged.merge(old, (long) removed, Long::sum);
      if (progress != null) {
        progress.at(purged.values().stream().mapToLong(Long::longValue).sum());
      }
      if (removed == BATCH) {
        Pause.of(Duration.ofNanos(System.nanoTime() - begun));
      }
    }
  }

  private void report(
      Map<OldMessages, Count> found, Map<OldMessages, Long> purged, boolean stopped) {
    if (json) {
      JsonObject fields = new JsonObject().put("action", "purge").put("dryRun", confirm.dryRun);
      found.forEach(
          (old, count) ->
              fields.put(
                  old.name(),
                  new JsonObject()
                      .put("matched", count.value())
                      .put("exact", !count.atLeast())
                      .put("changed", purged.getOrDefault(old, 0L))));
      out().println(fields.put("stopped", stopped));
    } else if (confirm.dryRun) {
      out().println("would remove " + listed(found) + "; nothing was changed");
    } else {
      long number = purged.values().stream().mapToLong(Long::longValue).sum();
      out()
          .println("removed " + Shown.messages(number) + (stopped ? " before it was stopped" : ""));
    }
  }
}
