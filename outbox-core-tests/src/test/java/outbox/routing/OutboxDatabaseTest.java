package outbox.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class OutboxDatabaseTest {
  private final DataSource dataSource = dataSource();

  @Test
  void keepsHowToConnect() {
    OutboxDatabase byUser = OutboxDatabase.of("a", "jdbc:a", "user", "secret");
    OutboxDatabase byDataSource = OutboxDatabase.of("b", dataSource);

    assertThat(byUser.identifier()).isEqualTo("a");
    assertThat(byUser.url()).isEqualTo("jdbc:a");
    assertThat(byUser.user()).isEqualTo("user");
    assertThat(byUser.password()).isEqualTo("secret");
    assertThat(byUser.dataSource()).isNull();
    assertThat(byDataSource.dataSource()).isSameAs(dataSource);
    assertThat(byDataSource.url()).isNull();
  }

  @Test
  void isEqualIfIdentifierAndConnectionAre() {
    OutboxDatabase database = OutboxDatabase.of("a", "jdbc:a", "user", "secret");

    assertThat(OutboxDatabase.of("a", "jdbc:a", "user", "secret"))
        .isEqualTo(database)
        .hasSameHashCodeAs(database);
    assertThat(
            List.of(
                OutboxDatabase.of("b", "jdbc:a", "user", "secret"),
                OutboxDatabase.of("a", "jdbc:b", "user", "secret"),
                OutboxDatabase.of("a", "jdbc:a", "other", "secret"),
                OutboxDatabase.of("a", "jdbc:a", "user", "other"),
                OutboxDatabase.of("a", "jdbc:a"),
                OutboxDatabase.of("a", dataSource)))
        .doesNotContain(database);
    assertThat(OutboxDatabase.of("a", dataSource))
        .isEqualTo(OutboxDatabase.of("a", dataSource))
        .isNotEqualTo(OutboxDatabase.of("a", dataSource()));
  }

  @Test
  void showsItsIdentifierOnly() {
    assertThat(OutboxDatabase.of("a", "jdbc:a", "user", "secret")).hasToString("a");
  }

  @Test
  void refusesABlankIdentifier() {
    assertThatThrownBy(() -> OutboxDatabase.of(" ", "jdbc:a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("identifier must not be blank: it names the database");
  }

  /** One that is equal to itself only, and never asked for a connection. */
  private static DataSource dataSource() {
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "equals" -> proxy == arguments[0];
                  case "hashCode" -> System.identityHashCode(proxy);
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
