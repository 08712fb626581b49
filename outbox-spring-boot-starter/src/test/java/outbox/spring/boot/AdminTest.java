package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.admin.Redaction;

/** The dashboard beside an application's own pages. */
class AdminTest {
  private static final String TOKEN = "reader-token-0123456789";

  @EnableAutoConfiguration
  static class Application {}

  @Test
  void onePropertyAndATokenMountTheDashboardAndItsApi() throws Exception {
    try (ConfigurableApplicationContext context =
        start("--outbox.admin.enabled=true", "--outbox.admin.read-tokens.rita=" + TOKEN)) {
      context
          .getBean(Outbox.class)
          .enqueue(
              EventEnvelope.builder("nobody.listens")
                  .payloadJson("{}")
                  .dueAt(Instant.now().plusSeconds(3600))
                  .build());

      assertThat(get(context, "/outbox/events").body())
          .contains("<base href=\"/outbox/\">", "content=\"/api/workflow/outbox\"");
      assertThat(get(context, "/outbox/ui/app.css").statusCode()).isEqualTo(200);
      assertThat(get(context, "/api/workflow/outbox").body()).contains("\"nobody.listens\"");
      assertThat(get(context, "/api/workflow/outbox/session").body())
          .contains("\"user\":\"rita\"", "\"canWrite\":false");
    }
  }

  @Test
  void withoutThePropertyThereIsNothing() throws Exception {
    try (ConfigurableApplicationContext context = start()) {
      assertThat(get(context, "/outbox/").statusCode()).isEqualTo(404);
      assertThat(get(context, "/api/workflow/outbox").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void withoutAWayInTheStartFailsAndNamesTheProperties() {
    assertThatThrownBy(() -> start("--outbox.admin.enabled=true").close())
        .rootCause()
        .hasMessageContaining("nobody could get in");
  }

  @Test
  void aTokenWhoseVariableIsNotSetStopsTheStartAndIsNamed() {
    assertThatThrownBy(
            () ->
                start(
                        "--outbox.admin.enabled=true",
                        "--outbox.admin.admin-tokens.alan=${NO_SUCH_VARIABLE_ANYWHERE}")
                    .close())
        .hasStackTraceContaining("outbox.admin.admin-tokens.alan is refused");
  }

  @Test
  void twoRedactionsStopTheStartRatherThanNoneApplies() {
    assertThatThrownBy(
            () ->
                start(
                        TwoRedactions.class,
                        "--outbox.admin.enabled=true",
                        "--outbox.admin.read-tokens.rita=" + TOKEN)
                    .close())
        .hasStackTraceContaining("NoUniqueBeanDefinitionException");
  }

  @EnableAutoConfiguration
  static class TwoRedactions {
    @Bean
    Redaction cards() {
      return (topic, payload) -> null;
    }

    @Bean
    Redaction names() {
      return (topic, payload) -> null;
    }
  }

  private static ConfigurableApplicationContext start(String... arguments) {
    return start(Application.class, arguments);
  }

  private static ConfigurableApplicationContext start(Class<?> type, String... arguments) {
    SpringApplication application = new SpringApplication(type);
    String[] all = new String[arguments.length + 2];
    all[0] = "--server.port=0";
    all[1] = "--spring.datasource.generate-unique-name=true";
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    return application.run(all);
  }

  private static HttpResponse<String> get(ConfigurableApplicationContext context, String path)
      throws Exception {
    String port = context.getEnvironment().getProperty("local.server.port");
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
            .header("Authorization", "Bearer " + TOKEN)
            .build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
  }
}
