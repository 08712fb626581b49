package outbox.testing.memory;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore.ClaimRequest;

/** Which rows a claim takes: the conditions of its WHERE, ORDER BY and LIMIT. */
final class ClaimScan {
  private final ClaimRequest request;
  private final Instant now;
  private final @Nullable Instant after;

  ClaimScan(ClaimRequest request, Instant now) {
    this.request = request;
    this.now = now;
    Instant hint = request.after();
    this.after = hint == null || hint.isAfter(now) ? null : hint;
  }

  /** Chooses from live rows that come in the order of their availability. */
  List<Rows.Row> choose(Collection<Rows.Row> live, Session session) {
    List<Rows.Row> chosen = new ArrayList<>();
    long bytes = 0;
    for (Rows.Row row : live) {
      if (chosen.size() >= request.limit()
          || bytes >= request.maxBytes()
          || row.indexedAt().isAfter(now)) {
        break;
      }
      StoredEvent state = row.accessibleTo(session) ? row.seenBy(session) : null;
      if (state != null && wanted(state)) {
        chosen.add(row);
        bytes += payloadSize(state.event());
      }
    }
    return chosen;
  }

  private boolean wanted(StoredEvent row) {
    boolean unseen = after == null || row.availableAt().isAfter(after);
    boolean settled =
        row.event().occurredAt() != null
            || !row.event().createdAt().isAfter(now.minus(request.skipRecent()));
    return unseen && settled;
  }

  private static long payloadSize(OutboxEvent event) {
    byte[] bytes = event.payloadBytes();
    if (bytes != null) {
      return bytes.length;
    }
    String text = event.payloadJson();
    return text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
  }
}
