package outbox.jdbc.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.schema.OutboxSchema;

/** Who may change the schema, one at a time, whatever becomes of the one before. */
class SchemaSessionTest {

  @ParameterizedTest
  @EnumSource(names = {"H2", "POSTGRES_NEWEST", "MARIADB", "MYSQL"})
  void theLockIsGivenBackAlthoughTheConnectionIsLost(Product product) throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (TestDatabase database = TestDatabase.create(product)) {
      Connection lost = database.connect("+00:00");
      SchemaSession session = SchemaSession.open(() -> lost, TableName.DEFAULT);
      lost.close();
      session.close();

      Future<?> next = other.submit(() -> OutboxSchema.of(database.dataSource()).deploy());

      next.get(30, TimeUnit.SECONDS);
      assertThat(OutboxSchema.of(database.dataSource()).check().isUsable()).isTrue();
    } finally {
      other.shutdownNow();
    }
  }
}
