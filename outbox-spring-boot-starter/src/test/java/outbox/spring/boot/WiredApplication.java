package outbox.spring.boot;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.awaitility.Awaitility.await;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.Principal;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with a web server and a database of its own, or the reason it did not start. */
final class WiredApplication implements AutoCloseable {
  static final String ROOT = "root-token-0123456789";
  private static final Duration LONG = Duration.ofMinutes(1);

  /** The transaction managers of transactional listeners, by name. */
  static final BlockingQueue<String> STORED_BY = new LinkedBlockingQueue<>();

  private final @Nullable ConfigurableApplicationContext context;
  private final String failure;

  private WiredApplication(@Nullable ConfigurableApplicationContext context, String failure) {
    this.context = context;
    this.failure = failure;
  }

  static WiredApplication start(Class<?> type, List<String> settings) {
    String[] arguments = settings.stream().map("--"::concat).toArray(String[]::new);
    try {
      return new WiredApplication(new SpringApplication(type).run(arguments), "");
    } catch (RuntimeException e) {
      FailureAnalysis told = requireNonNull(new OutboxFailureAnalyzer().analyze(e), e::toString);
      return new WiredApplication(null, told.getDescription());
    }
  }

  ConfigurableApplicationContext context() {
    return requireNonNull(context, failure);
  }

  /** Why it did not start; empty if it did. */
  String failure() {
    return failure;
  }

  <T> T bean(Class<T> type) {
    return context().getBean(type);
  }

  void inTransaction(Runnable work) {
    bean(TransactionTemplate.class).executeWithoutResult(status -> work.run());
  }

  /** The one of these tables that is there. */
  String table(String... names) {
    return List.of(names).stream().filter(this::hasTable).findFirst().orElse("none");
  }

  private boolean hasTable(String name) {
    return hasTable(bean(DataSource.class), name);
  }

  static boolean hasTable(DataSource dataSource, String name) {
    String tables = "SELECT COUNT(*) FROM information_schema.tables WHERE table_name = ?";
    String wanted = name.toUpperCase(Locale.ROOT);
    return requireNonNull(
            new JdbcTemplate(dataSource).queryForObject(tables, Integer.class, wanted))
        > 0;
  }

  /** The values of the first column of a statement. */
  List<String> column(String sql, Object... arguments) {
    return new JdbcTemplate(bean(DataSource.class)).queryForList(sql, String.class, arguments);
  }

  /** As {@link #column}, as soon as there is a row. */
  List<String> awaitColumn(String sql, Object... arguments) {
    return await().atMost(LONG).until(() -> column(sql, arguments), rows -> !rows.isEmpty());
  }

  void execute(String sql) {
    new JdbcTemplate(bean(DataSource.class)).execute(sql);
  }

  /** A path below the API, asked for by a user who may do everything. */
  HttpResponse<String> api(String path) {
    return send(api().concat(path), "Authorization", "Bearer " + ROOT);
  }

  /** As {@link #api(String)}, as soon as the answer has the text. */
  String awaitApi(String path, String text) {
    return await().atMost(LONG).until(() -> api(path).body(), body -> body.contains(text));
  }

  /** Where the API is. */
  String api() {
    String path = "outbox.admin.api-path";
    return context().getEnvironment().getProperty(path, "/api/workflow/outbox");
  }

  HttpResponse<String> send(String path, String... headers) {
    return send(HttpRequest.newBuilder(URI.create("http://localhost:" + port() + path)), headers);
  }

  HttpResponse<String> post(String path, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port() + path))
            .header("X-Outbox-Action", "1")
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body));
    return send(request, headers);
  }

  private static HttpResponse<String> send(HttpRequest.Builder request, String... headers) {
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newHttpClient()
        .sendAsync(request.timeout(LONG).build(), BodyHandlers.ofString())
        .join();
  }

  /** The status of a page under another name of the host; a client library would set its own. */
  int statusFor(String host, String path) {
    String request = "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
    try (Socket socket = new Socket("localhost", port())) {
      socket.getOutputStream().write(request.getBytes(US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      return Integer.parseInt(answer.split(" ", 3)[1]);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private int port() {
    String port = context().getEnvironment().getProperty("local.server.port");
    return Integer.parseInt(requireNonNull(port));
  }

  @Override
  public void close() {
    if (context != null) {
      context.close();
    }
  }

  @ExternalEvent("shipped")
  record Shipped(String order) {}

  /** Listeners of all kinds, and users whom the application itself has let in. */
  @EnableAutoConfiguration
  static class Shop {
    @OutboxListener("heard")
    void hear(String payload) {}

    @OutboxListener("stored")
    void store(String payload, Connection connection) {
      STORED_BY.add(NamedTransactions.BEGUN_BY.get());
    }

    @OutboxListener("broken")
    void fail(String payload) {
      throw new IllegalStateException("x".repeat(5_000));
    }

    @InboxListener("heard")
    void receive(String payload) {}

    @InboxListener("broken")
    void refuse(String payload) {
      throw new IllegalStateException("x".repeat(5_000));
    }

    @Bean
    Filter signedIn() {
      return (request, response, chain) -> {
        HttpServletRequest given = (HttpServletRequest) request;
        String role = given.getHeader("X-Role");
        chain.doFilter(role == null ? given : new SignedIn(given, role), response);
      };
    }
  }

  /** A request of a user with one role, whose name is that of the role. */
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

  /** With two databases, the second of which has two transaction managers. */
  @EnableAutoConfiguration
  @Configuration(proxyBeanMethods = false)
  static class TwoDatabases extends Shop {
    @Bean
    @Primary
    DataSource first() {
      return DataSourceBuilder.create().url("jdbc:h2:mem:wired-first").username("sa").build();
    }

    @Bean
    DataSource second() {
      return DataSourceBuilder.create().url("jdbc:h2:mem:wired-second").username("sa").build();
    }

    @Bean
    @Primary
    JdbcTransactionManager oneOfSecond(@Qualifier("second") DataSource second) {
      return new NamedTransactions("oneOfSecond", second);
    }

    @Bean
    JdbcTransactionManager otherOfSecond(@Qualifier("second") DataSource second) {
      return new NamedTransactions("otherOfSecond", second);
    }
  }

  /** A transaction manager that leaves its name in the thread. */
  private static final class NamedTransactions extends JdbcTransactionManager {
    private static final long serialVersionUID = 1L;
    static final ThreadLocal<String> BEGUN_BY = ThreadLocal.withInitial(() -> "the only one");

    private final String name;

    NamedTransactions(String name, DataSource dataSource) {
      super(dataSource);
      this.name = name;
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
      BEGUN_BY.set(name);
      super.doBegin(transaction, definition);
    }
  }
}
