package outbox.admin;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Principal;
import java.util.function.UnaryOperator;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import outbox.admin.data.OperatedDatabase;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

/** The servlet in a foreign container, below the context /app, as the page about it says. */
final class Container implements AutoCloseable {
  static final String CONTEXT = "/app";

  /** The header by which a test says whom the container has let in. */
  static final String ROLE = "X-Role";

  private final TestDatabase database = TestDatabase.create(Product.H2);
  private final Tomcat tomcat = new Tomcat();
  private final URI address;

  private Container(UnaryOperator<AdminConfig.Builder> settings) throws IOException {
    new SampleQueue(database.dataSource());
    AdminConfig config =
        settings
            .apply(
                AdminConfig.builder(OperatedDatabase.builder("main", database.dataSource()).build())
                    .readToken("rita", Site.READER)
                    .adminToken("alan", Site.ADMIN)
                    .dashboardPath("/outbox"))
            .build();
    Path directory = Files.createTempDirectory("outbox-container");
    directory.toFile().deleteOnExit();
    tomcat.setSilent(true);
    tomcat.setBaseDir(directory.toString());
    tomcat.setPort(0);
    tomcat
        .addContext(CONTEXT, directory.toString())
        .addServletContainerInitializer(
            (classes, context) -> {
              var users = context.addFilter("users", Container::letIn);
              users.setAsyncSupported(true);
              users.addMappingForUrlPatterns(null, false, "/*");
              new AdminSamplesTest().mount(context, config);
            },
            null);
    tomcat.getConnector();
    try {
      tomcat.start();
    } catch (LifecycleException e) {
      throw new IllegalStateException(e);
    }
    this.address = URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/");
  }

  /** Who sends a role is a user who has it, and is called by it. */
  private static void letIn(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest given = (HttpServletRequest) request;
    String role = given.getHeader(ROLE);
    chain.doFilter(role == null ? given : new SignedIn(given, role), response);
  }

  private static final class SignedIn extends HttpServletRequestWrapper {
    private final String role;

    SignedIn(HttpServletRequest request, String role) {
      super(request);
      this.role = role;
    }

    @Override
    public Principal getUserPrincipal() {
      return () -> role;
    }

    @Override
    public boolean isUserInRole(String wanted) {
      return wanted.equals(role);
    }
  }

  static Container start(UnaryOperator<AdminConfig.Builder> settings) {
    try {
      return new Container(settings);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  URI address() {
    return address;
  }

  @Override
  public void close() {
    try {
      tomcat.stop();
      tomcat.destroy();
    } catch (LifecycleException e) {
      throw new IllegalStateException(e);
    }
    database.close();
  }
}
