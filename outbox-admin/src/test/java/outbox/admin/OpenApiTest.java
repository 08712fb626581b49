package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import outbox.admin.Site.Reply;
import outbox.admin.data.OperatedDatabase;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import tools.jackson.databind.JsonNode;

class OpenApiTest {

  @Test
  void theDocumentDescribesExactlyTheRoutesWithTheirParameters() {
    try (TestDatabase database = TestDatabase.create(Product.H2);
        Api api = new Api(config(database), new ActionLog());
        Site site = Site.start()) {
      Map<String, Set<String>> routes = new TreeMap<>();
      for (Route route : api.routes()) {
        routes.put(route.method() + " " + route.template(), new TreeSet<>(route.parameters()));
      }

      assertThat(described(site.get("/openapi.json").json())).isEqualTo(routes);
    }
  }

  private static AdminConfig config(TestDatabase database) {
    return AdminConfig.builder(OperatedDatabase.builder("main", database.dataSource()).build())
        .anonymousRead()
        .prometheus()
        .build();
  }

  private static Map<String, Set<String>> described(JsonNode document) {
    Map<String, Set<String>> described = new TreeMap<>();
    document
        .get("paths")
        .propertyStream()
        .forEach(
            path ->
                path.getValue()
                    .propertyStream()
                    .forEach(
                        method ->
                            described.put(
                                method.getKey().toUpperCase(java.util.Locale.ROOT)
                                    + " "
                                    + path.getKey(),
                                parameters(method.getValue()))));
    return described;
  }

  private static Set<String> parameters(JsonNode operation) {
    Set<String> names = new TreeSet<>();
    operation
        .path("parameters")
        .valueStream()
        .filter(parameter -> parameter.get("in").asString().equals("query"))
        .forEach(parameter -> names.add(parameter.get("name").asString()));
    return names;
  }

  @Test
  void answersHaveTheFieldsThatTheDocumentSays() {
    try (Site site = Site.start(it -> it.showPayloads(Role.READ))) {
      String dead = site.queue().dead("order", "boom");
      site.queue().leased("order");
      site.queue().receiveDead("shop", "m-1", "boom");
      String join = site.queue().outbox().joins().startJoin("customer", 1, null).value();
      JsonNode schemas = site.get("/openapi.json").json().at("/components/schemas");

      assertFields(schemas.get("EventPage"), site.get("?status=dead").json());
      assertFields(schemas.get("EventRow"), site.get("?status=dead").json().at("/items/0"));
      assertFields(schemas.get("Event"), site.get("/" + dead + "?payload=true").json());
      assertFields(schemas.get("MessageRow"), site.get("/inbox").json().at("/items/0"));
      assertFields(
          schemas.get("Message"), site.get("/inbox/message?source=shop&messageId=m-1").json());
      assertFields(schemas.get("JoinRow"), site.get("/joins").json().at("/items/0"));
      assertFields(schemas.get("Join"), site.get("/joins/" + join).json());
      assertFields(schemas.get("Overview"), site.get("/overview").json());
      assertFields(schemas.get("Snapshot"), site.get("/overview").json().get("snapshot"));
      assertFields(schemas.get("Node"), site.get("/nodes").json().get(0));
      assertFields(schemas.get("Database"), site.get("/databases").json().get(0));
      assertFields(schemas.get("Health"), site.get("/health").json());
      assertFields(schemas.get("Session"), site.get("/session").json());
      assertFields(schemas.get("Problem"), site.get("?status=x").json());
      Reply started = site.post("/dead/replay", "{\"all\":true}");
      assertFields(schemas.get("Job"), site.get("/jobs/" + started.value("/job")).json());
    }
  }

  private static void assertFields(JsonNode schema, JsonNode answer) {
    Set<String> known = new HashSet<>();
    schema.get("properties").propertyStream().forEach(field -> known.add(field.getKey()));
    Set<String> given = new HashSet<>();
    answer.propertyStream().forEach(field -> given.add(field.getKey()));
    assertThat(given).isEqualTo(known);
  }

  @Test
  void theDocumentNamesThePathOfTheApi() {
    try (Site site = Site.start()) {
      assertThat(site.get("/openapi.json").value("/openapi")).isEqualTo("3.1.0");
      assertThat(site.get("/openapi.json").value("/servers/0/url")).isEqualTo(Site.API);
    }
  }
}
