package outbox.admin.data;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.StorableText;
import outbox.jdbc.internal.sql.Parameters;

/** Turns the conditions of queries into parameters. */
final class Filters {
  /** Longer texts are in no column. */
  private static final int MAX_NAME = 255;

  private static final int MAX_ERROR = 1_000;

  private Filters() {}

  /** Internal messages pass only a filter that names their topic. */
  static Consumer<Parameters> of(EventQuery query, String internal) {
    String topic = text("topic", query.topic(), MAX_NAME);
    String tenant = text("tenant", query.tenant(), MAX_NAME);
    String correlation = text("correlation", query.correlation(), MAX_NAME);
    String error = text("error", query.error(), MAX_ERROR);
    String owner = text("owner", query.owner(), MAX_NAME);
    return values ->
        values
            .text("internal", internal.equals(topic) ? "" : internal)
            .text("topic", topic)
            .text("tenant", tenant)
            .text("correlation", correlation)
            .text("error", error)
            .text("owner", owner)
            .instant("from", query.from())
            .instant("to", query.to());
  }

  static boolean searches(EventQuery query) {
    boolean byTime = query.view() != EventView.PROCESSED;
    return query.topic() != null
        || query.tenant() != null
        || query.correlation() != null
        || query.error() != null
        || query.owner() != null
        || (byTime && (query.from() != null || query.to() != null));
  }

  static Consumer<Parameters> of(InboxQuery query) {
    String topic = text("topic", query.topic(), MAX_NAME);
    String source = text("source", query.source(), MAX_NAME);
    String error = text("error", query.error(), MAX_ERROR);
    return values ->
        values
            .text("topic", topic)
            .text("tenant", source)
            .text("correlation", null)
            .text("error", error)
            .text("owner", null)
            .instant("from", query.from())
            .instant("to", query.to());
  }

  static boolean searches(InboxQuery query) {
    boolean byTime = query.view() != InboxView.DONE;
    return query.topic() != null
        || query.source() != null
        || query.error() != null
        || (byTime && (query.from() != null || query.to() != null));
  }

  static @Nullable String text(String field, @Nullable String value, int maxLength) {
    if (value == null) {
      return null;
    }
    try {
      return StorableText.atMost(field, value, maxLength);
    } catch (IllegalArgumentException e) {
      throw new InvalidQueryException(field, String.valueOf(e.getMessage()));
    }
  }

  /** Whether a row may have this id; others need not be looked for. */
  static boolean isId(String id) {
    try {
      return !StorableText.atMost("id", id, 36).isEmpty();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
