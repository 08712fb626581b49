package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.DeferredImportSelector;
import org.springframework.context.annotation.Import;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.transaction.support.TransactionOperations;
import outbox.EventEnvelope;
import outbox.OutboxClient;

/**
 * Without Jackson, Micrometer, Actuator, a web server and the dashboard, which the starter does not
 * bring.
 */
class OnlyTheStarterTest {
  private static final List<String> SEEN = new CopyOnWriteArrayList<>();

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withClassLoader(
              new FilteredClassLoader(
                  "tools.jackson",
                  "com.fasterxml.jackson",
                  "io.micrometer",
                  "io.opentelemetry",
                  "jakarta.servlet",
                  "org.springframework.boot.actuate",
                  "org.springframework.boot.health",
                  "org.springframework.boot.jackson",
                  "org.springframework.boot.micrometer",
                  "org.springframework.web",
                  "org.webjars",
                  "outbox.admin"))
          .withUserConfiguration(Automatic.class)
          .withPropertyValues("spring.datasource.generate-unique-name=true");

  private final WebApplicationContextRunner web =
      new WebApplicationContextRunner()
          .withClassLoader(new FilteredClassLoader("org.webjars", "outbox.admin"))
          .withUserConfiguration(Automatic.class)
          .withPropertyValues("spring.datasource.generate-unique-name=true");

  @Test
  void textIsPublishedAndHandled() {
    application
        .withUserConfiguration(TakesText.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed().doesNotHaveBean("outboxPayloadCodec");
              OutboxClient client = context.getBean(OutboxClient.class);
              context
                  .getBean(TransactionOperations.class)
                  .executeWithoutResult(
                      status -> client.publish(EventEnvelope.ofJson("greeting", "hello")));

              await().atMost(Duration.ofSeconds(30)).until(() -> SEEN.contains("hello"));
            });
  }

  @Test
  void payloadClassNeedsSomethingThatReadsIt() {
    application
        .withUserConfiguration(TakesObject.class)
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .isInstanceOfSatisfying(
                        OutboxSetupException.class,
                        failure -> assertThat(failure.action()).contains(BootLine.JSON_STARTER)));
  }

  @Test
  void webApplicationNeedsNoDashboard() {
    web.run(
        context ->
            assertThat(context)
                .hasNotFailed()
                .hasSingleBean(OutboxClient.class)
                .doesNotHaveBean("outboxAdminServlet"));
  }

  @Test
  void enabledDashboardWithoutItsModuleStopsTheStartAndNamesTheModule() {
    web.withPropertyValues("outbox.admin.enabled=true")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .isInstanceOfSatisfying(
                        OutboxSetupException.class,
                        failure -> {
                          assertThat(failure).hasMessageContaining("outbox.admin.enabled is set");
                          assertThat(failure.action()).contains("dev.outbox:outbox-admin");
                        }));
  }

  /** What a dependency brings is in the POM alone: the tests have all of it on their class path. */
  @Test
  void starterDoesNotBringTheDashboard() throws Exception {
    assertThat(Files.readString(Path.of("../outbox-spring-boot-autoconfigure/pom.xml")))
        .containsPattern(
            "<artifactId>outbox-admin</artifactId>(\\s|<!--[^>]*-->)*<optional>true</optional>");
  }

  @Import(OfTheStarter.class)
  static class Automatic {}

  /** By name, as Spring Boot does it: these classes mention some that are not there. */
  static class OfTheStarter implements DeferredImportSelector {
    @Override
    public String[] selectImports(AnnotationMetadata importing) {
      Iterable<String> all = ImportCandidates.load(AutoConfiguration.class, null);
      return StreamSupport.stream(all.spliterator(), false)
          .filter(
              name ->
                  name.matches(
                      "org\\.springframework\\.boot\\.(autoconfigure\\.)?(jdbc|transaction)\\..*|outbox\\..*"))
          .sorted(Comparator.comparing(name -> name.startsWith("outbox.")))
          .toArray(String[]::new);
    }
  }

  static class TakesText {
    @OutboxListener("greeting")
    void on(String text) {
      SEEN.add(text);
    }
  }

  record Greeting(String text) {}

  static class TakesObject {
    @OutboxListener("greeting")
    void on(Greeting greeting) {}
  }
}
