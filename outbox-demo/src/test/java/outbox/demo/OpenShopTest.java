package outbox.demo;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Timeout(300)
class OpenShopTest {
  private static final String API = "api/workflow/outbox";

  /** The fax machine may have paper for a minute; then faxes fail, and die after some attempts. */
  private static final Duration LONG = Duration.ofMinutes(3);

  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void hasSomethingInEveryViewAndLetsItBeActedOn() throws Exception {
    try (Database database = new H2Database();
        OpenShop shop = new OpenShop(database)) {
      assertThat(get(shop, "")).contains("<title>Outbox</title>");
      assertThat(get(shop, API + "/session")).contains("\"canWrite\":true");
      assertThat(get(shop, API + "/databases")).contains("\"name\":\"shop\"");
      comes(shop, API + "/overview", "\"series\":[{");
      comes(shop, API + "?status=processed", "order.placed");
      comes(shop, API + "?status=scheduled", "mail.reminder");
      comes(shop, API + "/inbox", "payment-");
      comes(shop, API + "/joins", "parcel-");
      comes(shop, API + "/nodes", "\"owner\":\"node-");
      comes(shop, API + "?status=dead", "\"status\":\"DEAD\"");

      String letter = first("\"id\":\"([^\"]+)\"", get(shop, API + "?status=dead"));
      HttpResponse<String> replayed =
          send(
              request(shop, API + "/" + letter + "/replay")
                  .header("X-Outbox-Action", "1")
                  .POST(BodyPublishers.noBody()));

      assertThat(replayed.body()).isEqualTo("{\"changed\":1}");
      assertThat(get(shop, API + "/" + letter)).contains("\"replays\":1");
    }
  }

  @Test
  void isOpenOnlyToThoseWhoAskForThisMachineByItsOwnName() throws Exception {
    try (Database database = new H2Database();
        OpenShop shop = new OpenShop(database)) {
      assertThat(statusLine(shop, "localhost")).contains(" 200 ");
      assertThat(statusLine(shop, "evil.example")).contains(" 403 ");
    }
  }

  /** Of the answer to a request for a host; a client library would set that by itself. */
  private static String statusLine(OpenShop shop, String host) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), shop.address().getPort())) {
      String request = "GET /%s/session HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.formatted(API, host).getBytes(US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), US_ASCII).lines().findFirst().get();
    }
  }

  private void comes(OpenShop shop, String path, String what) {
    await().atMost(LONG).untilAsserted(() -> assertThat(get(shop, path)).contains(what));
  }

  private static String first(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return matcher.group(1);
  }

  private String get(OpenShop shop, String path) throws IOException, InterruptedException {
    HttpResponse<String> answer = send(request(shop, path));
    assertThat(answer.statusCode()).isEqualTo(200);
    return answer.body();
  }

  private static HttpRequest.Builder request(OpenShop shop, String path) {
    URI address = shop.address().resolve(path);
    return HttpRequest.newBuilder(address);
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return http.send(request.build(), BodyHandlers.ofString());
  }
}
