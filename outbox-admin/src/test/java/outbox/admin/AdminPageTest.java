package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import outbox.admin.data.OperatedDatabase;

/** The page about administration names every call. */
class AdminPageTest {

  @Test
  void namesEveryCall() throws IOException {
    String page = page();
    AdminConfig config =
        AdminConfig.builder(OperatedDatabase.builder("none", new JdbcDataSource()).build())
            .anonymousRead()
            .prometheus()
            .build();
    try (Api api = new Api(config, new ActionLog())) {
      assertThat(api.routes())
          .allSatisfy(
              route ->
                  assertThat(page).contains("`" + route.method() + " " + route.template() + "`"));
    }
  }

  private static String page() throws IOException {
    return Files.readString(Path.of("../docs/admin.md"));
  }
}
