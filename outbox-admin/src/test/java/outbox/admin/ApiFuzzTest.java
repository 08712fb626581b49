package outbox.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.admin.Site.Reply;
import outbox.contracts.support.Dice;
import outbox.jdbc.db.Product;

/** Whatever an address says, the answer is what was asked for or a reason, never a failure. */
@Timeout(300)
class ApiFuzzTest {
  private static final int RUNS = 250;

  private static final List<String> PATHS =
      List.of(
          "",
          "/",
          "/x",
          "/jobs/x",
          "/joins",
          "/joins/x",
          "/inbox",
          "/inbox/message",
          "/databases",
          "/overview",
          "/nodes",
          "/health",
          "/metrics",
          "/metrics/prometheus",
          "/session",
          "/no/such/place");

  private static final List<String> NAMES =
      List.of(
          "status",
          "topic",
          "tenant",
          "correlation",
          "from",
          "to",
          "error",
          "owner",
          "page",
          "pageSize",
          "cursor",
          "db",
          "payload",
          "source",
          "messageId",
          "groupingKey");

  private static final List<String> VALUES =
      List.of(
          "",
          "dead",
          "all",
          "LEASED",
          "scheduled",
          "completed",
          "main",
          "true",
          "shop",
          "m-1",
          "1",
          "0",
          "-1",
          "2",
          "200",
          "2147483647",
          "99999999999999999999",
          "1e3",
          "\u0661",
          "2030-01-31T12:00:00Z",
          "1970-01-01T00:00:00Z",
          "9998-12-31T23:59:59.999999999+18:00",
          "-999999999-01-01T00:00:00Z",
          "+999999999-12-31T23:59:59Z",
          "<script>",
          "%",
          "_",
          "\\",
          "x".repeat(256));

  private static final List<String> PLACES =
      List.of(
          "0;;",
          "1;;",
          "9;;",
          "0;2030-01-31T12:00:00Z;a",
          "1;2030-01-31T12:00:00Z;a",
          "0;+999999999-12-31T23:59:59.999999999Z;a",
          "0;-999999999-01-01T00:00:00Z;",
          "1;+294277-01-01T00:00:00Z;a",
          "0;0000-01-01T00:00:00Z;a",
          "0;;%00",
          "0;;%ed%a0%80");

  private static Site site;
  private static List<String> cursors;

  @BeforeAll
  static void start() {
    site = Site.start(Product.POSTGRES_NEWEST, settings -> settings.showPayloads(Role.READ));
    for (int i = 0; i < 3; i++) {
      site.queue().pending("order");
      site.queue().dead("order", "boom");
      site.queue().receiveDead("shop", "m-" + i, "boom");
      site.queue().outbox().joins().startJoin("customer", 1, null);
    }
    cursors = new ArrayList<>();
    for (String list : List.of("?", "?status=dead&", "?status=all&", "/inbox?", "/joins?")) {
      cursors.add(String.valueOf(site.get(list + "pageSize=1").value("/next")));
    }
  }

  @AfterAll
  static void stop() {
    if (site != null) {
      site.close();
    }
  }

  @Test
  void anyParametersAreAnsweredOrRefusedWithAReason() {
    Dice.check(
        RUNS,
        dice -> {
          List<String> pairs =
              dice.some(4, () -> name(dice) + dice.one(List.of("=", "=", "")) + value(dice));
          String address = dice.one(PATHS) + "?" + String.join("&", pairs);

          Reply reply = site.get(address);

          assertThat(reply.status() / 100).as(address).isIn(2, 4);
          if (reply.status() >= 400) {
            assertThat(reply.header("Content-Type")).hasValue("application/problem+json");
            assertThat(reply.value("/detail")).as(address).isNotBlank();
          }
          assertEscaped(address, reply);
        });
  }

  @Test
  void anyCursorIsOneOfTheListOrRefusedAsNone() {
    Dice.check(
        RUNS,
        dice -> {
          String list =
              dice.one(List.of("?", "?status=dead&", "?status=all&", "/inbox?", "/joins?"));
          String address = list + "cursor=" + encoded(cursor(dice));

          Reply reply = site.get(address);

          assertThat(reply.status()).as(address).isIn(200, 400);
          if (reply.status() == 400) {
            assertThat(reply.value("/field")).as(address).isEqualTo("cursor");
          }
          assertEscaped(address, reply);
        });
  }

  /** Its place is part of the cursor, and so are the ids of the pages before. */
  @Test
  void theWayThroughAListIsFoundWhateverTheIdsAre() {
    Dice.check(
        2,
        dice -> {
          String topic = "ids-" + dice.number(Integer.MAX_VALUE);
          Set<String> ids = new HashSet<>();
          while (ids.size() < 12) {
            String id = dice.text(36, List.of("/", ":", "é", "漢", "😀", "a", "1", "%", " ", "+"));
            if (!id.isBlank() && id.length() <= 36 && ids.add(id)) {
              site.queue().pending(topic, event -> event.eventId(id).payloadJson("{}"));
            }
          }

          List<String> found = new ArrayList<>();
          String next = "";
          while (next != null) {
            Reply reply = site.get("?pageSize=1&topic=" + topic + "&cursor=" + encoded(next));
            assertThat(reply.status()).as(next).isEqualTo(200);
            found.addAll(reply.each("/items", "id"));
            next = reply.value("/next");
          }

          assertThat(found).containsExactlyInAnyOrderElementsOf(ids);
        });
  }

  /** One of another list, one made by hand, a damaged one, or nonsense. */
  private static String cursor(Dice dice) {
    StringBuilder damaged = new StringBuilder(dice.one(cursors));
    damaged.setCharAt(dice.number(damaged.length()), dice.character().charAt(0));
    String made = String.join(",", dice.one(PLACES), dice.one(PLACES));
    return switch (dice.number(4)) {
      case 0 -> dice.one(cursors);
      case 1 -> damaged.toString();
      case 2 -> Base64.getUrlEncoder().encodeToString(made.getBytes(UTF_8));
      default -> dice.text(30);
    };
  }

  /** Nothing that a browser or a terminal would obey. */
  private static void assertEscaped(String address, Reply reply) {
    if (!reply.header("Content-Type").orElse("").startsWith("text/plain")) {
      assertThat(reply.json().isMissingNode()).as(address).isFalse();
      assertThat(reply.text())
          .as(address)
          .doesNotContainPattern("[<>&'\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]");
    }
  }

  private static String name(Dice dice) {
    return dice.isOneIn(6) ? encoded(dice.text(6)) : dice.one(NAMES);
  }

  private static String value(Dice dice) {
    return switch (dice.number(5)) {
      case 0 -> encoded(dice.text(8));
      case 1 -> dice.one(List.of("%ff", "%c0%80", "%00", "%ed%a0%80", "+", "%2B", "a=b", ";"));
      default -> encoded(dice.one(VALUES));
    };
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }
}
