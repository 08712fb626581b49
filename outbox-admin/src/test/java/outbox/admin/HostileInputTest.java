package outbox.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayInputStream;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.admin.Site.Reply;
import outbox.admin.json.JsonWriter;
import outbox.jdbc.db.Product;

/**
 * Nothing that comes from outside is executed, nothing leaks out, and no client is left without a
 * clear answer.
 */
@Tag("slow")
class HostileInputTest {
  /** Enough jobs run already. */
  private static final int BUSY = 409;

  private static final List<String> TEXTS =
      List.of(
          "'; DROP TABLE outbox_event; --",
          "' OR '1'='1",
          "x' UNION SELECT * FROM information_schema.tables --",
          "%' OR 1=1 --",
          "<script>alert(1)</script>",
          "\"><img src=x onerror=alert(1)>",
          "{{7*7}}${7*7}",
          "\\",
          "%",
          "_",
          "\u2028\u202e",
          "\r\nSet-Cookie: a=b");

  private static Site site;
  private static String dead;

  @BeforeAll
  static void start() {
    site = Site.start(Product.POSTGRES_NEWEST, settings -> settings.showPayloads(Role.READ));
    dead = site.queue().dead("order", "boom");
    site.queue().receiveDead("shop", "m-1", "boom");
    site.queue().outbox().joins().startJoin("customer", 1, null);
  }

  @AfterAll
  static void stop() {
    site.close();
  }

  static Stream<String> addressesWithAText() {
    return Stream.of(
            "?topic=",
            "?tenant=",
            "?correlation=",
            "?status=leased&owner=",
            "?error=",
            "?status=dead&topic=",
            "?status=dead&error=",
            "?status=all&error=",
            "?status=",
            "?from=",
            "?to=",
            "?page=",
            "?pageSize=",
            "?cursor=",
            "?db=",
            "/",
            "/jobs/",
            "/joins/",
            "/joins?groupingKey=",
            "/joins?status=",
            "/joins?cursor=",
            "/inbox?source=",
            "/inbox?topic=",
            "/inbox?error=",
            "/inbox?status=dead&error=",
            "/inbox?cursor=",
            "/inbox/message?source=shop&messageId=",
            "/inbox/message?messageId=m-1&source=",
            "/overview?db=",
            "/nodes?db=",
            "/metrics?db=",
            "/health?db=",
            "/" + "x?payload=")
        .flatMap(address -> TEXTS.stream().map(text -> address + encoded(text)));
  }

  @ParameterizedTest
  @MethodSource("addressesWithAText")
  void textInAnAddressIsLookedForOrRefusedButNeverRun(String address) {
    Reply reply = site.get(address);

    assertThat(reply.status()).isIn(200, 400, 404);
    if (reply.status() == 200) {
      assertThat(reply.json().at("/items")).isEmpty();
    } else {
      assertThat(reply.header("Content-Type")).hasValue("application/problem+json");
    }
    assertHarmless(reply);
  }

  static Stream<String[]> bodiesWithAText() {
    return Stream.of(
            new String[] {"/dead/replay", "{\"ids\":[\"#\"]}"},
            new String[] {"/dead/replay", "{\"filter\":{\"topic\":\"#\"}}"},
            new String[] {"/dead/replay", "{\"filter\":{\"tenant\":\"#\"}}"},
            new String[] {"/dead/replay", "{\"filter\":{\"correlation\":\"#\"}}"},
            new String[] {"/dead/replay", "{\"filter\":{\"error\":\"#\"},\"dryRun\":true}"},
            new String[] {"/dead/replay", "{\"filter\":{\"from\":\"#\"}}"},
            new String[] {"/dead/replay", "{\"filter\":{\"#\":\"x\"}}"},
            new String[] {"/dead/discard", "{\"ids\":[\"none\"],\"reason\":\"#\"}"},
            new String[] {"/inbox/dead/replay", "{\"filter\":{\"source\":\"#\"}}"},
            new String[] {"/inbox/dead/discard", "{\"ids\":[\"#\"],\"reason\":\"#\"}"},
            new String[] {"/inbox/message/replay?source=#&messageId=#", ""},
            new String[] {"/#/replay", ""},
            new String[] {"/#/discard", "{\"reason\":\"#\"}"},
            new String[] {"/#/defer", "{\"delayMs\":\"#\"}"},
            new String[] {"/joins/#/cancel", ""},
            new String[] {"/jobs/#/stop", ""})
        .flatMap(
            call ->
                TEXTS.stream()
                    .map(
                        text ->
                            new String[] {
                              call[0].replace("#", encoded(text)), call[1].replace("#", json(text))
                            }));
  }

  @ParameterizedTest
  @MethodSource("bodiesWithAText")
  void textInAnActionChangesNothing(String address, String body) {
    String content = body.isEmpty() ? null : body;
    Reply reply =
        await()
            .atMost(Duration.ofSeconds(60))
            .until(() -> site.post(address, content), answer -> answer.status() != BUSY);

    assertThat(reply.status()).isIn(200, 202, 400, 404);
    assertHarmless(reply);
  }

  private static void assertHarmless(Reply reply) {
    assertThat(reply.text())
        .doesNotContain("<script", "<img", "\u2028")
        .doesNotContainIgnoringCase("syntax", "psql", "jdbc", "exception", "information_schema.t");
    assertThat(reply.header("X-Content-Type-Options")).hasValue("nosniff");
    assertThat(reply.header("Set-Cookie")).isEmpty();
    assertThat(site.get("?status=dead").each("/items", "id")).containsExactly(dead);
    assertThat(site.get("/inbox?status=dead").each("/items", "messageId")).containsExactly("m-1");
  }

  @Test
  void htmlInAMessageComesBackAsItIsButNeverAsAPage() {
    String html = "<script>alert('x')</script>&amp;\"'";
    try (Site other = Site.start(Product.H2, it -> it.showPayloads(Role.READ))) {
      String id =
          other
              .queue()
              .dead(
                  html,
                  html,
                  event ->
                      event
                          .tenantId(html)
                          .correlationId(html)
                          .aggregateType(html)
                          .aggregateId(html)
                          .header("h", html)
                          .payloadJson(html));

      Reply reply = other.get("/" + id + "?payload=true");

      assertThat(reply.header("Content-Type")).hasValue("application/json");
      assertThat(reply.header("Content-Security-Policy"))
          .hasValueSatisfying(policy -> assertThat(policy).contains("default-src 'none'"));
      assertThat(reply.text()).doesNotContain("<", ">");
      for (String field :
          List.of("/topic", "/error", "/tenant", "/correlationId", "/headers/h", "/payload/text")) {
        assertThat(reply.value(field)).as(field).isEqualTo(html);
      }
      assertThat(other.get("?status=dead&topic=" + encoded(html)).each("/items", "id"))
          .containsExactly(id);
      assertThat(other.get("?status=dead&error=" + encoded(html)).each("/items", "id"))
          .containsExactly(id);
    }
  }

  @Test
  void anUnknownStatusIsAnsweredWithTheKnownOnes() {
    Reply reply = site.get("?status=broken");

    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.value("/field")).isEqualTo("status");
    assertThat(reply.value("/detail"))
        .contains("pending, failed, processed, dead, leased, scheduled, all");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "?pageSize=201",
        "?pageSize=0",
        "?pageSize=-1",
        "?pageSize=1e3",
        "?page=0",
        "?page=2147483647",
        "?page=99999999999999999999",
        "?cursor=nonsense",
        "?from=yesterday",
        "?from=-999999999-01-01T00:00:00Z",
        "?to=%2B999999999-12-31T23:59:59Z",
        "?unknown=1",
        "?statsu=dead",
        "?owner=node-1",
        "?topic=a&topic=b",
        "?topic=%00",
        "?topic=%ed%a0%80%00",
        "/databases?db=main",
        "/x?payload=yes"
      })
  void whatCannotBeMeantIsRefusedWithAReason(String address) {
    Reply reply = site.get(address);

    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.header("Content-Type")).hasValue("application/problem+json");
    assertThat(reply.value("/detail")).isNotBlank();
    assertThat(reply.value("/field")).isNotBlank();
  }

  @Test
  void longTextsAreRefused() {
    for (String name : List.of("topic", "tenant", "correlation", "error", "owner")) {
      assertThat(site.get("?" + name + "=" + "x".repeat(256)).value("/field")).isEqualTo(name);
    }
    assertThat(site.get("/" + "x".repeat(37)).status()).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "[]",
        "1",
        "null",
        "{\"ids\":[\"a\"],\"ids\":[\"b\"]}",
        "{\"ids\":[1]}",
        "{\"ids\":\"a\"}",
        "{\"ids\":[null]}",
        "{\"ids\":{\"a\":1}}",
        "{\"ids\":[\"\\u0000\"]}",
        "{\"ids\":[\"\\ud800\"]}",
        "{\"filter\":[]}",
        "{\"filter\":{\"topic\":7}}",
        "{\"all\":true,\"dryRun\":\"perhaps\"}",
        "{\"all\":true,\"extra\":1}",
        "{\"a\":[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]}",
        "{\"ids\":[\"a\"]} x"
      })
  void aBodyThatIsNotUnderstoodIsRefused(String body) {
    Reply reply = site.post("/dead/replay", body);

    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.header("Content-Type")).hasValue("application/problem+json");
    assertHarmless(reply);
  }

  @Test
  void aBodyOfTenMegabytesIsRefusedAndTheServerGoesOn() {
    Reply large = site.post("/dead/replay", "{\"ids\":[\"" + "x".repeat(10_000_000) + "\"]}");
    Reply streamed =
        site.send(
            site.action("/dead/replay", null)
                .header("Authorization", "Bearer " + Site.ADMIN)
                .header("Content-Type", "application/json")
                .POST(
                    BodyPublishers.ofInputStream(
                        () -> new ByteArrayInputStream(new byte[200_000]))));

    assertThat(large.status()).isEqualTo(413);
    assertThat(large.value("/detail")).contains("65536");
    assertThat(streamed.status()).isEqualTo(413);
    assertHarmless(large);
  }

  @Test
  void aBodyOfAnotherKindIsRefused() {
    Reply form =
        site.send(
            site.action("/dead/replay", null)
                .header("Authorization", "Bearer " + Site.ADMIN)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString("filter=")));
    Reply bytes =
        site.send(
            site.action("/dead/replay", null)
                .header("Authorization", "Bearer " + Site.ADMIN)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(new byte[] {'{', (byte) 0xff, '}'})));

    assertThat(form.status()).isEqualTo(415);
    assertThat(bytes.status()).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PUT", "DELETE", "PATCH", "POST"})
  void otherMethodsAreRefusedAndTheRightOnesNamed(String method) {
    Reply reply =
        site.send(
            site.request(method, Site.API + "/" + dead, null)
                .header("X-Outbox-Action", "1")
                .header("Authorization", "Bearer " + Site.ADMIN));

    assertThat(reply.status()).isEqualTo(405);
    assertThat(reply.header("Allow")).hasValue("GET, HEAD, OPTIONS");
    assertHarmless(reply);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8).replace("+", "%20");
  }

  private static String json(String text) {
    String quoted = JsonWriter.write(text);
    return quoted.substring(1, quoted.length() - 1);
  }
}
