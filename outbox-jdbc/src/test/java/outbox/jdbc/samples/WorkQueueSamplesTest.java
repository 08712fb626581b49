package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxMessage;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.ThreadLocalTxContext;
import outbox.jdbc.schema.OutboxSchema;
import outbox.model.EventStatus;
import outbox.model.MessageId;
import outbox.model.OwnerToken;

class WorkQueueSamplesTest {
  private final SampleDatabase database = new SampleDatabase();
  private final DataSource dataSource = database.dataSource();
  private final List<String> mailed = new ArrayList<>();

  @BeforeEach
  void deploy() {
    OutboxSchema.of(dataSource).deploy();
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void enqueueInEveryWay() throws Exception {
    try (JdbcOutbox jdbcOutbox = JdbcOutbox.builder(dataSource).start()) {
      // region enqueue
      Outbox outbox = jdbcOutbox.queue();

      outbox.enqueue("email.send", "{\"to\":\"ada\"}"); // commits by itself

      jdbcOutbox.inTransaction(
          connection -> {
            // … business statements …
            outbox.enqueue(
                "email.send", "{\"to\":\"bob\"}", facts -> facts.correlationId("request-7"));
          });

      Instant tomorrow = Instant.now().plus(Duration.ofDays(1));
      outbox.enqueue(
          "email.send",
          "{\"to\":\"eve\"}",
          facts -> facts.correlationId("request-8").dueAt(tomorrow));
      // endregion

      try (Connection connection = dataSource.getConnection()) {
        // region enqueue-given
        connection.setAutoCommit(false);
        // … business statements …
        MessageId id = outbox.enqueue(connection, "email.send", "{\"to\":\"kim\"}").id();
        connection.commit();
        // endregion
        assertThat(database.status(id.value())).isEqualTo(EventStatus.NEW.code());
      }

      List<String> recipients = List.of("ada", "bob");
      // region enqueue-all
      outbox.enqueueAll(
          recipients.stream()
              .map(
                  to ->
                      EventEnvelope.builder("email.send")
                          .payloadJson("{\"to\":\"" + to + "\"}")
                          .tenantId("acme")
                          .header("locale", "de")
                          .expiresAt(Instant.now().plus(Duration.ofHours(6)))
                          .build())
              .toList());
      // endregion
      assertThat(database.number("SELECT COUNT(*) FROM outbox_event")).isEqualTo(6);
    }
  }

  @Test
  void workerThatClaimsByItself() {
    // region wiring
    Outbox outbox =
        OutboxBuilder.of(new DataSourceConnectionProvider(dataSource), new JdbcOutboxRepository())
            .txContext(new ThreadLocalTxContext())
            .maxAttempts(5)
            .storeName("shop")
            .build();
    // endregion
    outbox.enqueue("email.send", "ada");
    outbox.enqueue("email.send", "nobody");

    // region worker
    OwnerToken owner = OwnerToken.random();
    List<MessageId> sent = new ArrayList<>();
    for (OutboxMessage message : outbox.claim(owner, Duration.ofSeconds(30), 50)) {
      try {
        send(message.id(), message.payload());
        sent.add(message.id());
      } catch (IllegalStateException e) {
        outbox.abandon(owner, List.of(message.id()), e.toString(), null);
      }
    }
    outbox.ack(owner, sent);
    // endregion

    assertThat(mailed).containsExactly("ada");
    assertThat(database.number("SELECT COUNT(*) FROM outbox_event WHERE status = 1")).isEqualTo(1);
    assertThat(database.number("SELECT COUNT(*) FROM outbox_event WHERE status = 2")).isEqualTo(1);
  }

  private void send(MessageId id, String to) {
    if (to.equals("nobody")) {
      throw new IllegalStateException("no such mailbox for " + id);
    }
    mailed.add(to);
  }
}
