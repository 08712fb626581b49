package outbox.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class OpenShopTest {
  private static final String API = "api/workflow/outbox";

  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void hasSomethingInEveryViewAndLetsItBeActedOn() throws Exception {
    try (Database database = new H2Database();
        OpenShop shop = new OpenShop(database)) {
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> {
                assertThat(get(shop, "")).contains("<title>Outbox</title>");
                assertThat(get(shop, API + "?status=processed")).contains("order.placed");
                assertThat(get(shop, API + "?status=scheduled")).contains("mail.reminder");
                assertThat(get(shop, API + "/inbox")).contains("payment-");
                assertThat(get(shop, API + "/joins")).contains("parcel-");
                assertThat(get(shop, API + "/session")).contains("\"canWrite\":true");
              });
      HttpResponse<String> counted =
          send(
              request(shop, API + "/dead/replay")
                  .header("X-Outbox-Action", "1")
                  .header("Content-Type", "application/json")
                  .POST(BodyPublishers.ofString("{\"all\":true,\"dryRun\":true}")));
      assertThat(counted.statusCode()).isEqualTo(200);
    }
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
