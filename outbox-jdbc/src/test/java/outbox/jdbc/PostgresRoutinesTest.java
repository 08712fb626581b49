package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.contracts.support.Spec;
import outbox.internal.text.Ulid;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.schema.SchemaVersion;
import outbox.jdbc.schema.OutboxSchema;

/** What the store contract does not ask of the routines: their deployment, defaults and hook. */
@Tag("slow")
class PostgresRoutinesTest {
  private static final String ROUTINE_VERSIONS =
      "SELECT xmin FROM pg_proc WHERE proname LIKE 'outbox_event_%' ORDER BY proname";

  private final TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST);

  @BeforeEach
  void deploy() {
    OutboxSchema.of(database.dataSource()).withRoutines().deploy();
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"enqueue", "claim", "ack", "abandon", "defer", "fail", "renew", "reap"})
  @Spec({"OBX-102", "OBX-106", "OBX-114"})
  void theSchemaHasTheRoutine(String name) {
    assertThat(query("SELECT proname FROM pg_proc WHERE proname = 'outbox_event_" + name + "'"))
        .hasSize(1);
  }

  @Test
  @Spec("OBX-104")
  void deployingAgainTouchesNoRoutine() {
    List<String> before = query(ROUTINE_VERSIONS);

    OutboxSchema.of(database.dataSource()).withRoutines().deploy();

    assertThat(query(ROUTINE_VERSIONS)).isNotEmpty().isEqualTo(before);
  }

  @Test
  @Spec({"OBX-102", "OBX-104"})
  void routinesThatDifferAreReplacedAndKeepTheirGrants() {
    database.execute(
        "GRANT EXECUTE ON FUNCTION outbox_event_claim TO pg_monitor",
        "UPDATE pg_proc SET prosrc = 'BEGIN END' WHERE proname = 'outbox_event_claim'",
        "DROP FUNCTION outbox_event_ack");

    OutboxSchema.of(database.dataSource()).withRoutines().deploy();

    enqueue("a");
    assertThat(claim("me")).containsExactly("a");
    assertThat(query("SELECT * FROM outbox_event_ack('me', '{a}')")).containsExactly("a");
    assertThat(
            query(
                "SELECT has_function_privilege('pg_monitor', oid, 'EXECUTE') FROM pg_proc"
                    + " WHERE proname = 'outbox_event_claim'"))
        .containsExactly("t");
  }

  @Test
  void routinesOfANewerSchemaAreLeftAlone() {
    database.execute(
        "INSERT INTO outbox_event_schema (version) VALUES (" + (SchemaVersion.CURRENT + 1) + ")",
        "DROP FUNCTION outbox_event_ack");

    OutboxSchema.of(database.dataSource()).withRoutines().deploy();

    assertThat(query("SELECT 1 FROM pg_proc WHERE proname = 'outbox_event_ack'")).isEmpty();
  }

  @Test
  void theScriptMakesThemToo() {
    OutboxSchema schema = OutboxSchema.of(database.dataSource()).tableName("Shop_Outbox");
    assertThat(schema.script()).doesNotContain("CREATE OR REPLACE FUNCTION");

    database.execute(schema.withRoutines().script());

    assertThat(query("SELECT shop_outbox_enqueue('Topic', '{}', event_id => 'a')")).hasSize(1);
    assertThat(query("SELECT event_id FROM shop_outbox_claim('me')")).containsExactly("a");
  }

  @Test
  void aTableInAnotherSchemaHasItsRoutinesThere() {
    database.execute("CREATE SCHEMA shop");

    OutboxSchema.of(database.dataSource()).tableName("shop.outbox_event").withRoutines().deploy();

    assertThat(query("SELECT id FROM shop.outbox_event_enqueue('Topic', '{}', event_id => 'a')"))
        .hasSize(1);
    assertThat(claim("me")).isEmpty();
    assertThat(query("SELECT event_id FROM shop.outbox_event_claim('me')")).containsExactly("a");
    assertThat(query("SELECT * FROM shop.outbox_event_ack('me', '{a}')")).containsExactly("a");
  }

  @Test
  void theCallersSearchPathMisleadsNoRoutine() throws SQLException {
    database.execute(
        "CREATE SCHEMA trap",
        "CREATE TABLE trap.outbox_event (LIKE public.outbox_event)",
        "CREATE FUNCTION trap.outbox_event_settled(ids text[], outcome integer) RETURNS void"
            + " LANGUAGE plpgsql AS 'BEGIN RAISE ''trapped''; END'",
        "CREATE FUNCTION trap.statement_timestamp() RETURNS timestamptz"
            + " LANGUAGE plpgsql AS 'BEGIN RAISE ''trapped''; END'");
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(
          "CREATE TEMPORARY TABLE outbox_event (LIKE public.outbox_event) ON COMMIT DROP");
      statement.execute("SET LOCAL search_path = trap, pg_catalog, public");

      assertThat(
              query(connection, "SELECT id FROM outbox_event_enqueue('T', '{}', event_id => 'a')"))
          .containsExactly("a");
      assertThat(query(connection, "SELECT event_id FROM outbox_event_claim('me')"))
          .containsExactly("a");
      assertThat(query(connection, "SELECT * FROM outbox_event_ack('me', '{a}')"))
          .containsExactly("a");
      connection.commit();
    }
    assertThat(query("SELECT status FROM public.outbox_event")).containsExactly("1");
  }

  @Test
  @Spec({"IDEM-09", "IDEM-13", "IDEM-14", "IDEM-16"})
  void aMessageEnqueuedAgainByItsKeyIsNotAdded() {
    String call =
        "SELECT concat_ws(' ', id, key, already_existed) FROM outbox_event_enqueue('Topic', '{}',"
            + " event_id => '%s', tenant_id => %s, idempotency_key => '%s')";

    assertThat(query(call.formatted("a", "'acme'", "k"))).containsExactly("a k f");
    assertThat(query(call.formatted("b", "'acme'", "k"))).containsExactly("a k t");
    assertThat(query(call.formatted("c", "NULL", "k"))).containsExactly("c k f");
    assertThat(query(call.formatted("d", "''", "k"))).containsExactly("c k t");
    assertThatThrownBy(() -> query(call.formatted("a", "'acme'", "other")))
        .hasMessageContaining("event a exists already");
    assertThat(claim("me")).containsExactly("a", "c");
    assertThat(
            query(
                "SELECT concat_ws(' ', id = key, already_existed) FROM"
                    + " outbox_event_enqueue('Topic', '{}')"))
        .containsExactly("t f");
  }

  @Test
  @Spec("OBX-008")
  void anEnqueuedMessageGetsAnIdThatGrowsWithTime() {
    String first = query("SELECT id FROM outbox_event_enqueue('Topic', 'one')").get(0);
    database.execute("SELECT pg_sleep(0.002)");
    String second = query("SELECT id FROM outbox_event_enqueue('Topic', 'two')").get(0);

    assertThat(List.of(first, second)).allMatch(id -> id.matches("[0-9A-HJKMNP-TV-Z]{26}"));
    assertThat(first).isLessThan(second);
    assertThat(first.substring(0, 4)).isEqualTo(Ulid.next().substring(0, 4));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SELECT outbox_event_enqueue(NULL, '{}')                         | topic must not be",
        "SELECT outbox_event_enqueue('', '{}')                           | topic must not be",
        "SELECT outbox_event_enqueue('T', NULL)                          | exactly one of payload",
        "SELECT outbox_event_enqueue('T', 'x', payload_bytes => '\\x00') | exactly one of payload",
        "SELECT outbox_event_enqueue('T', 'x', headers => '[]')          | headers must be",
        "SELECT outbox_event_enqueue('T', 'x', headers => '{\"a\": 1}')  | headers must be",
        "SELECT outbox_event_enqueue('T', 'x', headers => '{\"\": \"\"}')  | header names must not",
        "SELECT outbox_event_enqueue('T', 'x', headers => '{\"a\": \"\\u0000\"}') | \\u0000 cannot be",
        "SELECT outbox_event_enqueue('T', 'x', headers => '{\"a\": \"\\ud800\"}') | surrogate",
        "SELECT outbox_event_enqueue('T', 'x', headers => json_build_object('a', repeat('x', 65536)))"
            + " | headers must not exceed",
        "SELECT outbox_event_enqueue('T', 'x', event_id => '')           | event_id must not be",
        "SELECT outbox_event_enqueue('T', 'x', idempotency_key => '')    | idempotency_key must not",
        "SELECT outbox_event_enqueue('T', 'x', event_id => 'a', idempotency_key => 'a') | must differ",
        "SELECT outbox_event_enqueue('T', 'x', idempotency_key => repeat('k', 65)) | too long",
        "SELECT outbox_event_enqueue(repeat('T', 256), 'x')              | too long",
        "SELECT outbox_event_enqueue('T', 'x', correlation_id => repeat('c', 256)) | too long",
        "SELECT outbox_event_claim(NULL)                                 | owner must not be",
        "SELECT outbox_event_claim('')                                   | owner must not be",
        "SELECT outbox_event_claim('me', lease => '0')                   | lease (00:00:00) must",
        "SELECT outbox_event_claim('me', lease => NULL)                  | lease (<NULL>) must",
        "SELECT outbox_event_claim('me', batch_size => 0)                | batch_size (0) must"
      })
  @Spec({"OBX-004", "OBX-005", "OBX-107", "OBX-109"})
  void whatMakesNoSenseIsRefused(String sql, String error) {
    assertThatThrownBy(() -> query(sql)).hasMessageContaining(error);
  }

  @Test
  @Spec({"OBX-031", "OBX-056"})
  void withoutADelayTheBackoffGrowsFromTwoSecondsToSixty() {
    enqueue("a");
    List<String> delays = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      database.execute("UPDATE outbox_event SET available_at = now()");
      claim("me");
      query("SELECT * FROM outbox_event_abandon('me', '{a}', 'busy')");
      delays.add(
          query("SELECT round(EXTRACT(EPOCH FROM available_at - now()) / 2) * 2 FROM outbox_event")
              .get(0));
    }
    assertThat(delays).containsExactly("2", "4", "8", "16", "32", "60", "60", "60");
  }

  @Test
  @Spec({"OBX-058", "OBX-059"})
  void withoutADelayTheTenthDeliveryIsTheLast() {
    database.execute(
        "CREATE TABLE ended (ids text, outcome integer)",
        "CREATE OR REPLACE FUNCTION outbox_event_settled(ids text[], outcome integer) RETURNS void"
            + " LANGUAGE sql AS 'INSERT INTO public.ended VALUES (array_to_string(ids, '',''),"
            + " outcome)'");
    enqueue("a");
    enqueue("b");
    database.execute("UPDATE outbox_event SET attempts = 9 WHERE event_id = 'a'");
    claim("me");

    assertThat(query("SELECT * FROM outbox_event_abandon('me', '{b,a}')"))
        .containsExactly("a", "b");

    assertThat(query("SELECT event_id || status || attempts FROM outbox_event ORDER BY event_id"))
        .containsExactly("a310", "b21");
    assertThat(query("SELECT last_error FROM outbox_event WHERE event_id = 'a'"))
        .containsExactly("failed 10 times");
    assertThat(
            query("SELECT CAST(available_at <= now() AS text) FROM outbox_event WHERE status = 3"))
        .as("the time of death")
        .containsExactly("true");
    assertThat(query("SELECT ids || outcome FROM ended")).containsExactly("a3");
  }

  @Test
  void withADelayAMessageIsNeverEnded() {
    enqueue("a");
    database.execute("UPDATE outbox_event SET attempts = 99");
    claim("me");

    query("SELECT * FROM outbox_event_abandon('me', '{a}', 'busy', delay => '0')");

    assertThat(claim("me")).containsExactly("a");
  }

  @Test
  void expiredMessagesEndAsDeadOnTheWayToTheFirstThatIsNot() {
    database.execute(
        "SELECT outbox_event_enqueue('T', '', event_id => 'old-' || i, expires_at => now())"
            + " FROM generate_series(1, 25) AS i");
    enqueue("fresh");

    assertThat(query("SELECT event_id FROM outbox_event_claim('me', batch_size => 10)"))
        .containsExactly("fresh");
    assertThat(query("SELECT DISTINCT status || last_error FROM outbox_event WHERE status <> 0"))
        .containsExactly("3expired");
    assertThat(claim("me")).isEmpty();
  }

  @Test
  @Spec({"OBX-028", "OBX-041"})
  void theHookSeesWhatReallyEndedInTheSameTransaction() throws SQLException {
    database.execute(
        "CREATE TABLE ended (ids text, outcome integer, seen bigint)",
        "CREATE OR REPLACE FUNCTION outbox_event_settled(ids text[], outcome integer) RETURNS void"
            + " LANGUAGE sql AS 'INSERT INTO public.ended SELECT array_to_string(ids, '',''),"
            + " outcome, (SELECT count(*) FROM public.outbox_event WHERE event_id = ANY (ids)"
            + " AND status = outcome)'");
    enqueue("a");
    enqueue("b");
    enqueue("c");
    claim("me");
    query("SELECT outbox_event_enqueue('T', '', event_id => 'late', expires_at => now())");

    query("SELECT * FROM outbox_event_ack('me', '{b,a,unknown,a}')");
    query("SELECT * FROM outbox_event_ack('other', '{c}')");
    query("SELECT * FROM outbox_event_fail('me', '{c,a}', 'broken')");
    claim("me");

    assertThat(query("SELECT concat_ws(' ', ids, outcome, seen) FROM ended"))
        .containsExactly("a,b 1 2", "c 3 1", "late 3 1");
    enqueue("d");
    claim("me");
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      query(connection, "SELECT * FROM outbox_event_ack('me', '{d}')");
      connection.rollback();
    }
    assertThat(query("SELECT ids FROM ended")).hasSize(3);
  }

  private void enqueue(String id) {
    query("SELECT outbox_event_enqueue('Topic', '{}', event_id => '" + id + "')");
  }

  private List<String> claim(String owner) {
    return query("SELECT event_id FROM outbox_event_claim('" + owner + "')");
  }

  private List<String> query(String sql) {
    try (Connection connection = database.dataSource().getConnection()) {
      return query(connection, sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> query(Connection connection, String sql) throws SQLException {
    List<String> found = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        found.add(row.getString(1));
      }
    }
    return found;
  }
}
