package outbox.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.EventRow;
import outbox.admin.data.EventView;
import outbox.admin.data.InboxRow;
import outbox.admin.data.InboxView;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.data.Page;
import outbox.admin.data.PageRequest;
import outbox.admin.json.EventJson;
import outbox.admin.json.InboxJson;
import outbox.admin.json.JsonObject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists messages, page by page behind a cursor, so that the last page is as fast as the first. */
@Command(name = "list", description = "Lists messages; more of them by --after.")
final class ListCommand extends QueueCommand {
  @Option(
      names = "--status",
      defaultValue = "all",
      description =
          "pending, failed, processed, dead, leased, scheduled or all; of an inbox seen,"
              + " processing, done, dead or all (default: ${DEFAULT-VALUE})")
  String status = "";

  @Mixin FilterOptions filter = new FilterOptions();

  @Option(
      names = "--limit",
      defaultValue = "50",
      description = "how many at the most (default: ${DEFAULT-VALUE})")
  int limit;

  @Option(
      names = "--after",
      description = "continue a list: the value that the page before printed")
  @Nullable String after;

  @Override
  public Integer call() {
    requirePositive("--limit", limit);
    if (queue.inbox) {
      var query = filter.messages(InboxView.of(status));
      OperatedDatabase database = queue.open();
      Found<InboxRow> found = read(paging -> database.inbox().list(query.paging(paging)));
      show(found, InboxJson::row, MessageTable.ofInbox(found.items, terminal().showsOutput()));
    } else {
      var query = filter.events(EventView.of(status));
      OperatedDatabase database = queue.open();
      Found<EventRow> found = read(paging -> database.events().list(query.paging(paging)));
      show(found, EventJson::row, MessageTable.ofEvents(found.items, terminal().showsOutput()));
    }
    return 0;
  }

  /** Reads on until there are enough, the list ends, or a search has looked at enough rows. */
  private <T> Found<T> read(Function<PageRequest, Page<T>> list) {
    List<T> items = new ArrayList<>();
    String cursor = after;
    Page<T> page;
    do {
      int size = Math.min(PageRequest.MAX_SIZE, limit - items.size());
      page = list.apply(PageRequest.FIRST.pageSize(size).cursor(cursor));
      items.addAll(page.items());
      cursor = page.next();
    } while (cursor != null && page.window() == null && items.size() < limit);
    return new Found<>(items, cursor, page.window());
  }

  private <T> void show(Found<T> found, Function<T, JsonObject> toJson, Table table) {
    Page.Window window = found.window;
    if (json) {
      out()
          .println(
              new JsonObject()
                  .put("items", found.items.stream().map(toJson).toList())
                  .put("next", found.next)
                  .put("window", window));
      return;
    }
    if (table.isEmpty()) {
      err().println(found.next == null ? "no message is like that" : "none found so far");
    } else {
      table.print(screen());
    }
    if (window != null) {
      err()
          .println(
              "searched what is from "
                  + Shown.time(window.from())
                  + " to "
                  + Shown.time(window.to())
                  + " only");
    }
    if (found.next != null) {
      err().println("continue with: --after " + found.next);
    }
  }

  private record Found<T>(List<T> items, @Nullable String next, Page.@Nullable Window window) {}
}
