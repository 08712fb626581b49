package outbox.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.util.List;
import java.util.UUID;
import java.util.logging.Level;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;

/**
 * What is said of a server older than the supported ones. It is a real one that gives a version.
 */
class OldServerTest {
  private final LogLines log = LogLines.open();
  private final TestDatabase database = TestDatabase.create(Product.H2);

  /** Of this test only, because a process names each version once. */
  private final String version = "2.2.224 (" + UUID.randomUUID() + ")";

  private final DataSource old = ofOldVersion();

  @AfterEach
  void close() {
    log.close();
    database.close();
  }

  @Test
  void isNamedInAWarningWhenAnOutboxStarts() {
    OutboxSchema.of(database.dataSource()).deploy();

    JdbcOutbox.builder(old).start().close();

    assertThat(warnings())
        .containsExactly(
            "unsupported server version: product=H2 version="
                + version
                + " oldestSupported=2.3.230; upgrade the server, statements may fail on it");
  }

  @Test
  void isNamedInAWarningWhenAnInboxStarts() {
    InboxSchema.of(database.dataSource()).deploy();

    JdbcInbox.builder(old).start().close();

    assertThat(warnings()).singleElement().asString().contains("version=" + version);
  }

  @Test
  void isNamedBeforeItsSchemaIsDeployed() {
    OutboxSchema.of(old).deploy();

    assertThat(warnings()).singleElement().asString().contains("version=" + version);
  }

  @Test
  void isNamedOnceHoweverOftenItIsAsked() {
    JdbcOutbox.builder(old).createSchema().start().close();
    JdbcInbox.builder(old).createSchema().start().close();

    assertThat(warnings()).singleElement().asString().contains("version=" + version);
  }

  @Test
  void aSupportedOneIsNotMentioned() {
    JdbcOutbox.builder(database.dataSource()).createSchema().start().close();

    assertThat(warnings()).isEmpty();
  }

  private List<String> warnings() {
    return log.from(Level.WARNING);
  }

  private DataSource ofOldVersion() {
    return replacing(
        DataSource.class,
        database.dataSource(),
        "getConnection",
        connection ->
            replacing(
                Connection.class,
                (Connection) connection,
                "getMetaData",
                metaData ->
                    replacing(
                        DatabaseMetaData.class,
                        (DatabaseMetaData) metaData,
                        "getDatabaseProductVersion",
                        given -> version)));
  }

  /** All that the target does, but what one method returns. */
  private static <T> T replacing(Class<T> type, T target, String method, Replacement replacement) {
    return type.cast(
        Proxy.newProxyInstance(
            OldServerTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              try {
                Object result = called.invoke(target, arguments);
                return called.getName().equals(method)
                    ? replacement.of(requireNonNull(result))
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private interface Replacement {
    Object of(Object given);
  }
}
