package outbox.spring.demo;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import outbox.DeadLetters;
import outbox.Outbox;
import outbox.model.EventStatus;
import outbox.model.MessageId;

/** What an operator does: look at events, repair the provider, replay a dead letter. */
@RestController
class Operations {
  private static final String SELECT =
      "SELECT event_id, event_type, status, attempts, last_error FROM outbox_event ";
  private final JdbcClient jdbc;
  private final DeadLetters deadLetters;
  private final PaymentProvider provider;

  Operations(JdbcClient jdbc, Outbox outbox, PaymentProvider provider) {
    this.jdbc = jdbc;
    this.deadLetters = outbox.deadLetters();
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
    return deadLetters.replay(new MessageId(id), "demo")
        ? ResponseEntity.accepted().build()
        : ResponseEntity.notFound().build();
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
