package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootVersion;

/** One sentence says that a starter and a Spring Boot do not go together. */
class BootCheckTest {

  @ParameterizedTest
  @CsvSource({
    "3.5.0, true, false",
    "3.5.16, true, false",
    "4.0.1, false, true",
    "4.1.1, false, true"
  })
  void eachLineHasItsStarter(String version, boolean has3, boolean has4) {
    assertThatCode(() -> BootCheck.check(version, has3, has4)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource({
    "2.7.18, true, false, Use Spring Boot 3.5 with outbox-spring-boot3-starter",
    "3.4.13, true, false, Use Spring Boot 3.5 with outbox-spring-boot3-starter",
    "3.4.13, false, true, Use Spring Boot 3.5 with outbox-spring-boot3-starter",
    "3.5.16, false, true, Use outbox-spring-boot3-starter instead.",
    "4.1.1, true, false, Use outbox-spring-boot-starter instead.",
    "5.0.0, false, true, or Spring Boot 4 with outbox-spring-boot-starter.",
    "4.1.1, true, true, keep outbox-spring-boot-starter."
  })
  void allElseIsRefused(String version, boolean has3, boolean has4, String action) {
    assertThatThrownBy(() -> BootCheck.check(version, has3, has4))
        .isInstanceOfSatisfying(
            OutboxSetupException.class, refused -> assertThat(refused.action()).contains(action));
  }

  @Test
  void thisLineHasItsOwn() {
    boolean three = String.valueOf(SpringBootVersion.getVersion()).startsWith("3.5.");

    assertThatCode(() -> BootCheck.check(SpringBootVersion.getVersion(), three, !three))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> BootCheck.check(SpringBootVersion.getVersion(), !three, three))
        .hasMessageContaining(SpringBootVersion.getVersion());
  }
}
