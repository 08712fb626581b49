package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A page acts on the host that it came from: by its name and its port, whatever the scheme. */
class OriginTest {
  private static Site site;

  @BeforeAll
  static void start() {
    site = Site.start();
  }

  @AfterAll
  static void stop() {
    site.close();
  }

  @ParameterizedTest
  @CsvSource({
    "https://Ops.example, ops.example",
    "https://ops.example, OPS.example:443",
    "https://ops.example:443, ops.example",
    "http://ops.example, ops.example:80",
    "http://ops.example:80, ops.example",
    "http://ops.example:8080, ops.example:8080"
  })
  void actsThere(String origin, String host) {
    assertThat(stopUnknownJob(origin, host)).startsWith("HTTP/1.1 404 ");
  }

  @ParameterizedTest
  @CsvSource({
    "https://ops.example, ops.example:80",
    "http://ops.example, ops.example:443",
    "http://ops.example:8080, ops.example",
    "http://ops.example, other.example",
    "ops.example, ops.example",
    "mailto:ops, ops"
  })
  void actsNowhereElse(String origin, String host) {
    assertThat(stopUnknownJob(origin, host)).startsWith("HTTP/1.1 403 ");
  }

  private static String stopUnknownJob(String origin, String host) {
    try (Wire wire = Wire.to(site.address())) {
      return wire.send(
              "POST " + Site.API + "/jobs/none/stop HTTP/1.1\r\nConnection: close\r\n",
              "Host: " + host + "\r\nOrigin: " + origin + "\r\nX-Outbox-Action: 1\r\n",
              "Authorization: Bearer " + Site.ADMIN + "\r\nContent-Length: 0\r\n\r\n")
          .answer();
    }
  }
}
