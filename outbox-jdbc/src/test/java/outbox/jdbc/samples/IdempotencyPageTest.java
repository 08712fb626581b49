package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;

/** The SQL that the page shows makes the same keys as the library. */
class IdempotencyPageTest {
  private static final Pattern SQL = Pattern.compile("(?ms)^```sql\\n(.*?)^```$");
  private static final Path VECTORS =
      Path.of("../outbox-core-tests/src/test/resources/outbox/idempotency-keys.txt");

  @Test
  @Spec({"IDEM-18", "IDEM-20"})
  void theFunctionMakesTheGoldenKeysAndTheQueueTakesThem() throws Exception {
    List<String> blocks =
        SQL.matcher(Page.of("docs/idempotency.md").text())
            .results()
            .map((MatchResult block) -> block.group(1))
            .toList();
    assertThat(blocks).hasSize(2);
    try (TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST)) {
      OutboxSchema.of(database.dataSource()).withRoutines().deploy();
      database.execute(blocks.get(0));
      try (Connection connection = database.dataSource().getConnection()) {
        for (String line : Files.readAllLines(VECTORS)) {
          if (!line.startsWith("#")) {
            String[] vector = line.split("\t");
            assertThat(key(connection, vector)).as(line).isEqualTo(vector[5]);
          }
        }
        assertThat(enqueue(connection, blocks.get(1))).isFalse();
        assertThat(enqueue(connection, blocks.get(1))).isTrue();
      }
    }
  }

  private static String key(Connection connection, String[] parts) throws Exception {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT outbox_key(?, ?, ?, ?, ?)")) {
      for (int i = 0; i < 5; i++) {
        statement.setString(i + 1, parts[i]);
      }
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    }
  }

  private static boolean enqueue(Connection connection, String sql) throws Exception {
    try (PreparedStatement statement = connection.prepareStatement(sql);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getBoolean("already_existed");
    }
  }
}
