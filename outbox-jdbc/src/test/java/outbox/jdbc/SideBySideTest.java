package outbox.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;

/** What dispatchers of version 1 see of new producers between an upgrade and its end. */
class SideBySideTest {
  private static final String DEEP = "[".repeat(200_000);

  private final JdbcOutboxRepository store = new JdbcOutboxRepository();

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES_OLDEST", "POSTGRES_NEWEST", "MARIADB", "MYSQL"})
  @Spec("IDEM-60")
  void anOldDispatcherFindsThePayloadsOfNewProducers(Product product) throws SQLException {
    try (TestDatabase database = TestDatabase.create(product);
        Connection connection = database.dataSource().getConnection()) {
      Version1.create(database.dataSource());
      OutboxSchema schema = OutboxSchema.of(database.dataSource());
      schema.migrate(progress -> {});

      store.insertNew(connection, event("one").payloadJson("{\"a\": 1}").build());
      store.insert(connection, event("keyed").idempotencyKey("k").payloadJson("[2]").build(), null);
      store.insertAll(
          connection,
          List.of(
              event("many").payloadJson("{\"a\": 3}").build(),
              event("many-keyed").idempotencyKey("l").payloadJson("4").build()),
          null);
      store.insertNew(connection, event("text").payloadJson("not \"json\"").build());
      store.insertNew(connection, event("deep").payloadJson(DEEP).build());
      store.insertNew(connection, event("bytes").payloadBytes("hello".getBytes(UTF_8)).build());

      store.insertNew(connection, event("long").payloadBytes(new byte[100]).build());

      assertThat(payloads(connection))
          .containsEntry("long", "\"" + Base64.getEncoder().encodeToString(new byte[100]) + "\"")
          .containsEntry("one", "{\"a\": 1}")
          .containsEntry("keyed", "[2]")
          .containsEntry("many", "{\"a\": 3}")
          .containsEntry("many-keyed", "4")
          .containsEntry("text", "\"not \\\"json\\\"\"")
          .containsEntry("deep", "\"" + DEEP + "\"")
          .containsEntry("bytes", "\"aGVsbG8=\"");

      schema.finalizeUpgrade();
      store.insertNew(connection, event("later").payloadJson("{}").build());
      assertThat(schema.check().finalized()).isTrue();
    }
  }

  private static EventEnvelope.Builder event(String id) {
    return EventEnvelope.builder("Type").eventId(id);
  }

  /** By the columns that version 1 polls. */
  private static Map<String, @Nullable String> payloads(Connection connection) throws SQLException {
    Map<String, @Nullable String> payloads = new HashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT event_id, payload FROM outbox_event")) {
      while (row.next()) {
        payloads.put(row.getString("event_id"), row.getString("payload"));
      }
    }
    return payloads;
  }
}
