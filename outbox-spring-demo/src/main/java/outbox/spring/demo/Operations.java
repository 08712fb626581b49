package outbox.spring.demo;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import outbox.model.EventStatus;

/** What an operator does: look at events, repair the provider, replay a dead letter. */
@RestController
class Operations {
  private static final String SELECT =
      "SELECT event_id, event_type, status, attempts, last_error FROM outbox_event ";
  private static final String REPLAY =
      """
      UPDATE outbox_event SET status = 2, attempts = 0, available_at = CURRENT_TIMESTAMP
      WHERE event_id = ? AND status = 3
      """;

  private final JdbcClient jdbc;
  private final PaymentProvider provider;

  Operations(JdbcClient jdbc, PaymentProvider provider) {
    this.jdbc = jdbc;
    this.provider = provider;
  }

  @GetMapping("/events/{id}")
  ResponseEntity<Event> event(@PathVariable("id") String id) {
    return ResponseEntity.of(
        jdbc.sql(SELECT + "WHERE event_id = ?")
            .param(id)
            .query(Row.class)
            .optional()
            .map(Row::event));
  }

  @GetMapping("/dead-letters")
  List<Event> deadLetters() {
    return jdbc.sql(SELECT + "WHERE status = 3 ORDER BY event_id").query(Row.class).stream()
        .map(Row::event)
        .toList();
  }

  @PostMapping("/dead-letters/{id}/replay")
  ResponseEntity<Void> replay(@PathVariable("id") String id) {
    int replayed = jdbc.sql(REPLAY).param(id).update();
    return replayed == 1 ? ResponseEntity.accepted().build() : ResponseEntity.notFound().build();
  }

  @PostMapping("/provider/repair")
  void repair() {
    provider.repair();
  }

  /** An event without its payload. */
  record Event(
      String id, String topic, EventStatus status, int attempts, @Nullable String lastError) {}

  private record Row(
      String eventId, String eventType, int status, int attempts, @Nullable String lastError) {
    Event event() {
      return new Event(eventId, eventType, EventStatus.ofCode(status), attempts, lastError);
    }
  }
}
