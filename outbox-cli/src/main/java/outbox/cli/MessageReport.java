package outbox.cli;

import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.EventDetail;
import outbox.admin.data.EventRow;
import outbox.admin.data.InboxDetail;
import outbox.admin.data.InboxRow;
import outbox.admin.data.Moment;
import outbox.admin.data.Payload;

/** All about one message for people. */
record MessageReport(
    Fields fields,
    Map<String, String> headers,
    List<Moment> timeline,
    @Nullable String error,
    Payload payload) {

  static MessageReport of(EventDetail event) {
    EventRow row = event.row();
    Fields fields =
        new Fields()
            .add("id", row.id())
            .add("topic", row.topic())
            .add("status", row.leased() ? row.status() + ", being worked on" : row.status())
            .add("attempts", Shown.number(row.attempts()))
            .add("replays", row.replays() == 0 ? null : Shown.number(row.replays()))
            .add("tenant", row.tenant())
            .add("aggregate", aggregate(row))
            .add("correlation", row.correlationId())
            .add("key", row.idempotencyKey())
            .add("owner", row.owner())
            .add("failed", String.join(", ", row.listeners().failed()))
            .add("done", String.join(", ", row.listeners().done()))
            .add("joins", String.join(" ", event.joins()));
    return new MessageReport(
        fields, event.headers(), event.timeline(), event.error(), event.payload());
  }

  static MessageReport of(InboxDetail message) {
    InboxRow row = message.row();
    Fields fields =
        new Fields()
            .add("message", row.key().messageId())
            .add("source", row.key().source())
            .add("row", row.id())
            .add("topic", row.topic())
            .add("status", row.leased() ? row.status() + ", being worked on" : row.status())
            .add("attempts", Shown.number(row.attempts()))
            .add("replays", row.replays() == 0 ? null : Shown.number(row.replays()))
            .add("version", Shown.number(row.contentVersion()))
            .add("owner", row.owner())
            .add("failed", String.join(", ", row.listeners().failed()));
    return new MessageReport(
        fields, message.headers(), message.timeline(), message.error(), message.payload());
  }

  private static @Nullable String aggregate(EventRow row) {
    return row.aggregateType() == null
        ? row.aggregateId()
        : row.aggregateType() + (row.aggregateId() == null ? "" : " " + row.aggregateId());
  }

  void print(Screen screen) {
    fields.print(screen);
    screen.line("");
    Table moments = new Table().column("WHEN").column("WHAT").column("DETAIL");
    timeline.forEach(
        moment ->
            moments.row(
                Shown.time(moment.at()), moment.what().words(), Shown.line(moment.detail())));
    moments.print(screen);
    if (!headers.isEmpty()) {
      title(screen, "HEADERS");
      Fields shown = new Fields();
      headers.forEach((name, value) -> shown.add(Shown.line(name), value));
      shown.print(screen);
    }
    if (error != null) {
      title(screen, "ERROR");
      Shown.lines(error)
          .lines()
          .flatMap(line -> Fields.wrapped(line, screen.columns()).stream())
          .forEach(screen::line);
    }
    title(screen, "PAYLOAD (" + Shown.bytes(payload.size()) + ")");
    screen.line(content());
  }

  private static void title(Screen screen, String title) {
    screen.line("");
    screen.line(screen.paint(title, Ink.STRONG));
  }

  private String content() {
    return switch (payload.kind()) {
      case TEXT -> Shown.lines(payload.text() == null ? "" : payload.text()) + rest();
      case BYTES ->
          Base64.getMimeEncoder()
                  .encodeToString(payload.bytes() == null ? new byte[0] : payload.bytes())
              + rest();
      case HIDDEN -> "not shown; add --payload";
      case CLEARED -> "not there: cleared, or it never came";
    };
  }

  private String rest() {
    int shown =
        payload.text() != null
            ? payload.text().length()
            : payload.bytes() == null ? 0 : payload.bytes().length;
    return shown >= Payload.MAX_SHOWN && payload.size() > shown
        ? "\n… " + Shown.bytes(payload.size()) + " in all"
        : "";
  }
}
