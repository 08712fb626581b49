package shop;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** A process that places one order, prints what became of it, and ends. */
public final class OneOrder {
  private OneOrder() {}

  /** Runs the shop. */
  public static void main(String[] arguments) {
    SpringApplication application = new SpringApplication(ShopApplication.class);
    application.setMainApplicationClass(ShopApplication.class);
    try (ConfigurableApplicationContext shop = application.run("--logging.level.shop=info")) {
      shop.getBean(Shop.class).place("west", List.of("aot"));
      Listeners listeners = shop.getBean(Listeners.class);
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> listeners.journal().contains("mail aot for west"));
      listeners.journal().forEach(line -> System.out.println("HANDLED " + line));
    }
  }
}
