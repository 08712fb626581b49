package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.admin.data.OperatedDatabase;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

/** The samples of the page about administration. */
class AdminSamplesTest {
  private final String readToken = Site.READER;
  private final String adminToken = Site.ADMIN;
  private TestDatabase database;
  private DataSource dataSource;

  @BeforeEach
  void create() {
    database = TestDatabase.create(Product.H2);
    dataSource = database.dataSource();
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void servesStandalone() {
    // region admin-standalone
    AdminConfig config =
        AdminConfig.builder(OperatedDatabase.builder("shop", dataSource).build())
            .readToken("rita", readToken)
            .adminToken("alan", adminToken)
            .build();
    try (AdminServer server = AdminServer.start(config, "127.0.0.1", 0)) {
      System.out.println("The dashboard is at " + server.address());
    }
    // endregion
    assertThat(config.apiPath()).isEqualTo(AdminConfig.DEFAULT_API_PATH);
  }

  @Test
  void mountsInAContainerBelowAContext(@TempDir Path directory) throws Exception {
    AdminConfig config =
        AdminConfig.builder(OperatedDatabase.builder("shop", dataSource).build())
            .anonymousRead()
            .dashboardPath("/outbox")
            .build();
    Tomcat tomcat = new Tomcat();
    tomcat.setSilent(true);
    tomcat.setBaseDir(directory.toString());
    tomcat.setPort(0);
    var context = tomcat.addContext("/app", directory.toString());
    context.addServletContainerInitializer(
        (classes, servletContext) -> mount(servletContext, config), null);
    tomcat.getConnector();
    tomcat.start();
    try {
      String root = "http://localhost:" + tomcat.getConnector().getLocalPort() + "/app";

      assertThat(get(root + "/outbox"))
          .contains("<base href=\"/app/outbox/\">", "content=\"/app/api/workflow/outbox\"");
      assertThat(get(root + "/api/workflow/outbox/session")).contains("\"canWrite\":false");
      assertThat(get(root + "/api/workflow/outbox/openapi.json"))
          .contains("\"servers\": [{\"url\": \"/app/api/workflow/outbox\"}]");
    } finally {
      tomcat.stop();
      tomcat.destroy();
    }
  }

  // region admin-servlet
  void mount(ServletContext context, AdminConfig config) {
    ServletRegistration.Dynamic servlet =
        context.addServlet("outbox-admin", new AdminServlet(config));
    servlet.addMapping(config.mappings().toArray(new String[0]));
    servlet.setAsyncSupported(true);
    servlet.setLoadOnStartup(1);
  }

  // endregion

  @Test
  void takesRolesOfTheContainerAndShowsSomePayloads() {
    OperatedDatabase shop = OperatedDatabase.builder("shop", dataSource).build();
    OperatedDatabase archive = OperatedDatabase.builder("archive", dataSource).build();
    // region admin-redaction
    Redaction hideCards = (topic, payload) -> payload.replaceAll("\\b\\d{16}\\b", "****");
    AdminConfig config =
        AdminConfig.builder(shop)
            .database(archive)
            .containerRoles("ops", "ops-admin")
            .showPayloads(Role.ADMIN)
            .redaction(hideCards)
            .prometheus()
            .build();
    // endregion
    assertThat(config.databases).hasSize(2);
    assertThat(hideCards.text("order", "card 4111111111111111")).isEqualTo("card ****");
  }

  @Test
  void servesProbesAndScrapersAtPathsOfTheirOwn() {
    OperatedDatabase shop = OperatedDatabase.builder("shop", dataSource).build();
    String scrapeToken = "scrape-token-0123456789";
    // region admin-endpoints
    AdminConfig config =
        AdminConfig.builder(shop)
            .adminToken("alan", adminToken)
            .prometheus()
            .healthEndpoint("/healthz", Access.anonymous())
            .metricsEndpoint("/metrics", Access.token("prometheus", scrapeToken))
            .build();
    // endregion
    assertThat(config.mappings()).contains("/healthz/*", "/metrics/*");
  }

  private static String get(String address) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(address)).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
  }
}
