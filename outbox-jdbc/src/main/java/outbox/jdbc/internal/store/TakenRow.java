package outbox.jdbc.internal.store;

import java.util.List;
import java.util.function.Consumer;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore.ClaimedEvent;

/**
 * A row that now carries the claim's token.
 *
 * @param expired past its expiry by the database's clock: to be ended, not to be handed out
 */
public record TakenRow(ClaimedEvent event, boolean expired) {

  /** Those past their expiry. */
  static List<OutboxEvent> ended(List<TakenRow> rows) {
    return rows.stream().filter(TakenRow::expired).map(row -> row.event.event()).toList();
  }

  /** Ends the expired ones; returns the same rows. */
  static List<TakenRow> settled(List<TakenRow> rows, Consumer<List<String>> expire) {
    List<String> expired = rows.stream().filter(TakenRow::expired).map(TakenRow::eventId).toList();
    if (!expired.isEmpty()) {
      expire.accept(expired);
    }
    return rows;
  }

  String eventId() {
    return event.event().eventId();
  }
}
