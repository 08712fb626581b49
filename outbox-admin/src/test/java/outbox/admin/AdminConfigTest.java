package outbox.admin;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import outbox.admin.data.OperatedDatabase;

class AdminConfigTest {
  private final OperatedDatabase database =
      OperatedDatabase.builder("main", new JdbcDataSource()).build();

  @Test
  void refusesAConfigurationWithoutAWayIn() {
    assertThatThrownBy(() -> AdminConfig.builder(database).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("readToken")
        .hasMessageContaining("anonymousRead");
  }

  @Test
  void refusesATokenThatCanBeGuessed() {
    assertThatThrownBy(() -> AdminConfig.builder(database).adminToken("alan", "secret"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("alan")
        .hasMessageContaining("at least 16")
        .hasMessageNotContaining("secret");
  }

  @Test
  void refusesATokenThatIsAnUnsetVariable() {
    assertThatThrownBy(
            () -> AdminConfig.builder(database).adminToken("alan", "${OUTBOX_ADMIN_TOKEN}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("alan")
        .hasMessageContaining("${");
  }

  @Test
  void refusesOneTokenUnderTwoNames() {
    AdminConfig.Builder builder =
        AdminConfig.builder(database)
            .readToken("rita", "0123456789-secret")
            .adminToken("alan", "0123456789-secret");

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("rita and alan")
        .hasMessageNotContaining("secret");
  }

  @Test
  void refusesTwoDatabasesOfOneName() {
    assertThatThrownBy(() -> AdminConfig.builder(database).database(database))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("main");
  }

  @Test
  void refusesPathsThatAreNone() {
    AdminConfig.Builder builder = AdminConfig.builder(database).anonymousRead();

    assertThatThrownBy(() -> builder.apiPath("/")).hasMessageContaining("apiPath");
    assertThatThrownBy(() -> builder.apiPath("api")).hasMessageContaining("apiPath (api)");
    assertThatThrownBy(() -> builder.dashboardPath("/a/")).hasMessageContaining("dashboardPath");
    assertThatThrownBy(() -> builder.apiPath("/a").dashboardPath("/a").build())
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> builder.allowedOrigin("ops.example"))
        .hasMessageContaining("ops.example");
  }
}
