package shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** The outbox starts after Liquibase has made its tables, as it does after Flyway. */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.NONE,
    properties = {
      "spring.flyway.enabled=false",
      "spring.liquibase.enabled=true",
      "spring.liquibase.change-log=classpath:changelog.xml"
    })
class LiquibaseTest {
  @Autowired Shop shop;
  @Autowired Listeners listeners;

  @Test
  void eventsAreHandledInTablesOfLiquibase() {
    shop.place("east", List.of("changed"));

    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(listeners.journal()).contains("mail changed for east"));
  }
}
