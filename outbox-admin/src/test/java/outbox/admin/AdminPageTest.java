package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import outbox.admin.data.OperatedDatabase;

/** The page about administration names every option and every call. */
class AdminPageTest {

  @Test
  void namesEveryOption() throws IOException {
    String page = page();

    assertThat(
            Stream.of(AdminConfig.Builder.class, OperatedDatabase.Builder.class)
                .flatMap(type -> Stream.of(type.getDeclaredMethods()))
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(method -> method.getReturnType().equals(method.getDeclaringClass()))
                .map(Method::getName))
        .isNotEmpty()
        .allSatisfy(option -> assertThat(page).contains("`" + option + "("));
  }

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
