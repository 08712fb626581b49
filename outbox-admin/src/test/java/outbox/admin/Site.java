package outbox.admin;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.OperatedDatabase;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server on a database of its own, and a way to talk to it. */
final class Site implements AutoCloseable {
  static final String READER = "reader-token-0123456789";
  static final String ADMIN = "admin-token-0123456789";
  static final String API = AdminConfig.DEFAULT_API_PATH;

  private static final JsonMapper JSON = JsonMapper.shared();

  private final HttpClient http = HttpClient.newHttpClient();
  private final List<TestDatabase> databases;
  private final SampleQueue queue;
  private final AdminServer server;

  private Site(
      List<TestDatabase> databases,
      SampleQueue queue,
      UnaryOperator<AdminConfig.Builder> settings) {
    this.databases = databases;
    this.queue = queue;
    AdminConfig.Builder config = AdminConfig.builder(operated(databases, 0));
    for (int i = 1; i < databases.size(); i++) {
      config.database(operated(databases, i));
    }
    config.readToken("rita", READER).adminToken("alan", ADMIN);
    this.server = AdminServer.start(settings.apply(config).build(), "127.0.0.1", 0);
  }

  private static OperatedDatabase operated(List<TestDatabase> databases, int index) {
    String name = index == 0 ? "main" : "other" + index;
    return OperatedDatabase.builder(name, databases.get(index).dataSource()).build();
  }

  static Site start() {
    return start(Product.H2, settings -> settings);
  }

  static Site start(UnaryOperator<AdminConfig.Builder> settings) {
    return start(Product.H2, settings);
  }

  static Site start(Product product, UnaryOperator<AdminConfig.Builder> settings) {
    TestDatabase database = TestDatabase.create(product);
    return new Site(List.of(database), new SampleQueue(database.dataSource()), settings);
  }

  /** With two databases, main and other1; the queue is main's. */
  static Site startWithTwo() {
    TestDatabase main = TestDatabase.create(Product.H2);
    TestDatabase other = TestDatabase.create(Product.H2);
    new SampleQueue(other.dataSource()).pending("elsewhere");
    return new Site(List.of(main, other), new SampleQueue(main.dataSource()), it -> it);
  }

  SampleQueue queue() {
    return queue;
  }

  TestDatabase database() {
    return databases.get(0);
  }

  URI address() {
    return server.address();
  }

  Reply get(String path) {
    return send(request("GET", API + path, null).header("Authorization", "Bearer " + READER));
  }

  Reply post(String path, @Nullable String body) {
    return send(action(path, body).header("Authorization", "Bearer " + ADMIN));
  }

  /** A request to act that says not yet who sends it. */
  HttpRequest.Builder action(String path, @Nullable String body) {
    return request("POST", API + path, body).header("X-Outbox-Action", "1");
  }

  HttpRequest.Builder request(String method, String path, @Nullable String body) {
    BodyPublisher publisher =
        body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.address().resolve(path)).method(method, publisher);
    return body == null ? request : request.header("Content-Type", "application/json");
  }

  Reply send(HttpRequest.Builder request) {
    try {
      return new Reply(http.send(request.build(), BodyHandlers.ofString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    server.close();
    databases.forEach(TestDatabase::close);
  }

  /** What came back. */
  record Reply(HttpResponse<String> response) {
    int status() {
      return response.statusCode();
    }

    String text() {
      return response.body();
    }

    Optional<String> header(String name) {
      return response.headers().firstValue(name);
    }

    Map<String, List<String>> headers() {
      return response.headers().map();
    }

    /** The whole answer. */
    JsonNode json() {
      return JSON.readTree(text());
    }

    /** A value within it, as text; null if it is missing or null. */
    @Nullable String value(String pointer) {
      JsonNode node = json().at(pointer);
      return node.isMissingNode() || node.isNull() ? null : node.asString();
    }

    /** The values of one field of all items, in their order. */
    List<String> each(String list, String field) {
      return json().at(list).valueStream().map(item -> item.get(field).asString()).toList();
    }
  }
}
