package outbox.cli;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.EventDetail;
import outbox.admin.data.InboxDetail;
import outbox.admin.json.EventJson;
import outbox.admin.json.InboxJson;
import outbox.admin.json.JsonObject;
import outbox.inbox.InboxKey;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows one message. */
@Command(
    name = "show",
    description = "Shows one message with its time line; ends with 1 if it is not there.")
final class ShowCommand extends QueueCommand {
  @Parameters(
      paramLabel = "ID",
      description = "its id; with --inbox the id that its sender gave it")
  String id = "";

  @Option(names = "--source", description = "its sender, with --inbox")
  @Nullable String source;

  @Option(names = "--payload", description = "with what was sent, which may be confidential")
  boolean payload;

  @Override
  public Integer call() {
    if (queue.inbox) {
      InboxKey key = InboxKeys.of(source, id);
      InboxDetail message = queue.open().inbox().find(key, payload).orElseThrow(missing(key));
      show(InboxJson.detail(message), MessageReport.of(message));
    } else {
      if (source != null) {
        throw new WrongCallException("--source (" + source + ") is for --inbox");
      }
      EventDetail event = queue.open().events().find(id, payload).orElseThrow(missing(id));
      show(EventJson.detail(event), MessageReport.of(event));
    }
    return 0;
  }

  private void show(JsonObject fields, MessageReport report) {
    if (json) {
      out().println(fields);
    } else {
      report.print(screen());
    }
  }

  private Supplier<IllegalStateException> missing(Object wanted) {
    return () -> new IllegalStateException(queue.tableName() + " has no message " + wanted);
  }
}
