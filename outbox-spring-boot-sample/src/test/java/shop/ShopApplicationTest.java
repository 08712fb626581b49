package shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.JsonPath;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.core.env.Environment;
import org.springframework.transaction.support.TransactionTemplate;

/** Everything that a new user tries first, with JPA, Hikari and Flyway as Spring Boot sets them. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class ShopApplicationTest {
  @Autowired Shop shop;
  @Autowired Listeners listeners;
  @Autowired Purchases purchases;
  @Autowired TransactionTemplate transactions;
  @Autowired Environment environment;

  @Test
  void ordersSavedInABatchAreAnnouncedOneByOne() {
    List<String> ids = IntStream.range(0, 120).mapToObj(i -> "batch-" + i).toList();
    shop.place("north", ids);

    awaitJournal("mail batch-0 for north", "mail batch-119 for north");
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                purchases.findAllById(ids).stream()
                    .filter(purchase -> purchase.state().equals("invoiced"))
                    .count(),
            count -> count == 120);
  }

  @Test
  void nothingIsAnnouncedOfWhatRollsBack() {
    assertThatThrownBy(() -> shop.placeAndFail("lost")).hasMessage("out of stock");
    shop.place("north", List.of("next"));

    awaitJournal("mail next for north");
    assertThat(listeners.journal()).doesNotContain("mail lost for north");
    assertThat(purchases.findById("lost")).isEmpty();
  }

  @Test
  void transactionOfATemplateIsJoinedAndAnInnerOneIsItsOwn() {
    transactions.executeWithoutResult(
        status -> {
          shop.place("north", List.of("template"));
          shop.protocol("template");
          status.setRollbackOnly();
        });

    awaitJournal("protocol template");
    assertThat(purchases.findById("template")).isEmpty();
    assertThat(listeners.journal()).doesNotContain("mail template for north");
  }

  @Test
  void failingListenerIsTriedAgainAndThenDead() {
    shop.announceTrouble("disputed");

    awaitJournal("dead order.disputed");
    assertThat(listeners.journal()).filteredOn("attempt disputed"::equals).hasSize(2);
  }

  @Test
  void messageOfAnotherSystemTakesEffectOnce() {
    shop.place("south", List.of("billed"));
    awaitJournal("mail billed for south");
    shop.paid("7", "billed");
    shop.paid("7", "billed");

    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> purchases.findById("billed").orElseThrow().state(), "paid"::equals);
    assertThat(listeners.journal()).filteredOn("paid billed"::equals).hasSize(1);
  }

  @Test
  void joinContinuesAfterItsLastStep() {
    shop.pick("joined", 3);

    awaitJournal("part joined/0", "part joined/1", "part joined/2", "picked joined");
  }

  @Test
  void scheduledEventComesWhenItIsDue() {
    shop.remind("late", Duration.ofMillis(300));

    awaitJournal("reminder late");
  }

  @Test
  void actuatorShowsTheOutbox() throws Exception {
    shop.place("north", List.of("measured"));
    awaitJournal("mail measured for north");

    String status = JsonPath.read(get("/actuator/health"), "$.components.outbox.status");
    assertThat(status).isEqualTo("UP");
    assertThat(get("/actuator/metrics/outbox.dispatched")).contains("\"queue\"");
  }

  private String get(String path) throws Exception {
    URI uri = URI.create("http://localhost:" + environment.getProperty("local.server.port") + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  private void awaitJournal(String... lines) {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(listeners.journal()).contains(lines));
  }
}
