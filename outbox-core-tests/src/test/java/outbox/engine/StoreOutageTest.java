package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.dispatch.MultiOutboxDispatcher;

/** A store whose database fails is reported, and costs the others nothing. */
class StoreOutageTest extends ManyStores {
  @Test
  @Spec({"OBX-065", "OBX-101"})
  void storeThatFailsIsReportedOnceByNameAndTheOthersGoOn() {
    Tenant well = tenant("well");
    Tenant broken = tenant("broken");
    broken.down = true;
    handlers.registerAll(event -> {});
    try (LogCapture log = LogCapture.of("outbox")) {
      MultiOutboxDispatcher dispatcher = start();
      awaitTrue(() -> broken.connects.get() >= 4);
      dispatcher.router().getOutbox("well").enqueue("Any", "{}");
      awaitTrue(() -> done(well) == 1);

      assertThat(log.errors()).hasSize(1);
      assertThat(log.errors().get(0)).contains("store=broken");
      assertThat(metrics.outages("broken")).isEqualTo(1);
      assertThat(metrics.outages("well")).isZero();

      fill(broken, 1);
      broken.down = false;
      awaitTrue(() -> done(broken) == 1);
      awaitTrue(
          () -> log.all().stream().anyMatch(line -> line.contains("available again store=broken")));
    }
  }

  @Test
  void transactionThatDoesNotBeginIsAnOutageAndCostsTheMessageNoAttempt() {
    Tenant tenant = tenant("one");
    AtomicInteger handled = new AtomicInteger();
    handlers.registerTransactional("Any", (event, connection) -> handled.incrementAndGet());
    tenant.noTransactions = true;
    try (LogCapture log = LogCapture.of("outbox")) {
      start().router().getOutbox("one").enqueue("Any", "{}");
      awaitTrue(() -> metrics.outages("one") == 1);
      awaitTrue(() -> !metrics.isDown("one"));
      tenant.noTransactions = false;

      awaitTrue(() -> done(tenant) == 1);
      assertThat(handled).hasValue(1);
      assertThat(tenant.events.findAll().get(0).event().attempts()).isZero();
      assertThat(log.errors()).noneMatch(line -> line.contains("listener failed"));
    }
  }

  @Test
  void storesThatDoNotAnswerHoldFewOfTheConnections() {
    CountDownLatch answer = new CountDownLatch(1);
    Tenant well = tenant("well");
    List<Tenant> dark = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Tenant tenant = tenant("dark" + i);
      tenant.down = true;
      dark.add(tenant);
    }
    handlers.registerAll(event -> {});
    MultiOutboxDispatcher dispatcher = start();
    awaitTrue(
        () -> dark.stream().allMatch(tenant -> metrics.outages(tenant.store.identifier()) == 1));

    dark.forEach(tenant -> tenant.hang = answer);
    awaitTrue(() -> dark.stream().anyMatch(tenant -> tenant.connects.get() > 1));
    for (int i = 1; i <= 20; i++) {
      int number = i;
      dispatcher.router().getOutbox("well").enqueue("Any", "{}");
      awaitTrue(() -> done(well) == number);
    }

    answer.countDown();
  }
}
