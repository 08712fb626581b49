package shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.h2.tools.Server;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Ends and beginnings of the application. */
class LifeTest {

  /** Five seconds on a quiet machine; the pool would wait half a minute for a connection. */
  private static final Duration LIMIT =
      Duration.ofSeconds("full".equals(System.getProperty("outbox.shutdown")) ? 5 : 15);

  @Test
  @Tag("slow")
  void endsSoonAfterTheEndOfItsDatabase(@TempDir Path folder) throws Exception {
    Server database =
        Server.createTcpServer("-tcpPort", "0", "-ifNotExists", "-baseDir", folder.toString())
            .start();
    ConfigurableApplicationContext shop =
        start("jdbc:h2:tcp://localhost:" + database.getPort() + "/./shop");
    place(shop, "before");
    database.stop();

    long began = System.nanoTime();
    shop.close();

    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(LIMIT);
  }

  @Test
  void startsAgainInTheSameProcess() {
    String url = "jdbc:h2:mem:again;DB_CLOSE_DELAY=-1";
    for (String order : List.of("first", "second")) {
      try (ConfigurableApplicationContext shop = start(url)) {
        place(shop, order);
      }
    }
  }

  @Test
  void usesVirtualThreadsWhereTheJdkHasThem() {
    try (ConfigurableApplicationContext shop =
        start("jdbc:h2:mem:virtual", "--spring.threads.virtual.enabled=true")) {
      place(shop, "virtual");
      boolean expected = Runtime.version().feature() >= 21;
      assertThat(shop.getBean(Listeners.class).ranOnVirtualThread()).isEqualTo(expected);
    }
  }

  private static ConfigurableApplicationContext start(String url, String... more) {
    SpringApplication application = new SpringApplication(ShopApplication.class);
    String[] arguments = Arrays.copyOf(more, more.length + 1);
    arguments[more.length] = "--spring.datasource.url=" + url;
    return application.run(arguments);
  }

  private static void place(ConfigurableApplicationContext shop, String order) {
    shop.getBean(Shop.class).place("west", List.of(order));
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThat(shop.getBean(Listeners.class).journal())
                    .contains("mail " + order + " for west"));
  }
}
