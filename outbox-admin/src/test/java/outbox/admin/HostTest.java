package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A web site that lets its own name point to this server reads nothing. */
class HostTest {
  private static final String SESSION = Site.API + "/session";

  @Test
  void aContainerOnTheLocalHostRefusesOtherNamesWhereClientsGetInWithoutAToken() {
    try (Container container = Container.start(AdminConfig.Builder::anonymousRead)) {
      assertThat(ask(container.address(), "evil.example", "/app" + SESSION)).contains(" 403 ");
      assertThat(ask(container.address(), "evil.example", "/app/outbox")).contains(" 403 ");
      assertThat(ask(container.address(), "localhost", "/app" + SESSION)).contains(" 200 ");
    }
  }

  @Test
  void whereTokensAreNeededAContainerAnswersToEveryName() {
    try (Container container = Container.start(it -> it)) {
      assertThat(ask(container.address(), "ops.example", "/app" + SESSION)).contains(" 401 ");
    }
  }

  @Test
  void whereHostsAreListedNoOtherIsServed() {
    try (Container container =
            Container.start(it -> it.allowedHost("Ops.example").allowedHost("[2001:db8::1]"));
        Site site = Site.start(it -> it.allowedHost("ops.example"))) {
      for (String host : new String[] {"ops.example", "OPS.example:8080", "localhost"}) {
        assertThat(ask(container.address(), host, "/app" + SESSION)).contains(" 401 ");
        assertThat(ask(site.address(), host, SESSION)).contains(" 401 ");
      }
      assertThat(ask(container.address(), "[2001:db8::1]:80", "/app" + SESSION)).contains(" 401 ");
      assertThat(ask(container.address(), "evil.example", "/app" + SESSION)).contains(" 403 ");
      assertThat(ask(container.address(), "ops.example.evil", "/app" + SESSION)).contains(" 403 ");
      assertThat(ask(site.address(), "evil.example", SESSION)).contains(" 403 ");
      assertThat(ask(site.address(), "evil.example", "/ui/app.css")).contains(" 403 ");
    }
  }

  @Test
  void noOtherWayOfNamingAHostGetsIn() {
    try (Site site = Site.start(AdminConfig.Builder::anonymousRead)) {
      for (String host :
          new String[] {
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "127.0.0.1.nip.io",
            "localhost@evil.example",
            "evil.example#localhost",
            "evil.example%00localhost",
            "evil.example, localhost",
            "evil.example\r\nHost: localhost",
            "evil.example\r\nX-Forwarded-Host: localhost",
            "evil.example\r\nForwarded: host=localhost",
            "evil.example\r\nX-HTTP-Host-Override: localhost"
          }) {
        assertThat(ask(site.address(), host, SESSION))
            .as(host)
            .containsPattern("^HTTP/1.1 40[03] ");
      }
      for (String scheme : new String[] {"http", "https", "ftp"}) {
        String target = scheme + "://evil.example" + SESSION;
        assertThat(ask(site.address(), "localhost", target)).containsPattern("^HTTP/1.1 40[03] ");
        assertThat(ask(site.address(), "evil.example", target))
            .containsPattern("^HTTP/1.1 40[03] ");
      }
      assertThat(ask(site.address(), "localhost", "http://localhost" + SESSION)).contains(" 200 ");
    }
  }

  @Test
  void addressesThatNoBrowserSendsAreRefusedAndTheServerGoesOn() {
    try (Site site = Site.start(AdminConfig.Builder::anonymousRead)) {
      for (String target :
          new String[] {
            "*",
            "session",
            "//localhost" + SESSION,
            "http://localhost/x/.." + SESSION,
            "http://localhost;" + SESSION,
            SESSION + "#/../x",
            SESSION + "/" + "a".repeat(100_000),
            SESSION + "?" + "a=b&".repeat(30_000)
          }) {
        assertThat(ask(site.address(), "localhost", target))
            .as(target.substring(0, Math.min(60, target.length())))
            .containsPattern("^HTTP/1.1 4\\d\\d ")
            .doesNotContain("\"user\":");
      }
      assertThat(ask(site.address(), "localhost", SESSION)).contains(" 200 ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "https://ops.example", "ops.example:80", "a b", "::1"})
  void whatIsNoHostIsRefused(String host) {
    assertThatThrownBy(() -> Site.start(it -> it.allowedHost(host)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("allowedHost (" + host + ")");
  }

  private static String ask(URI server, String host, String path) {
    try (Wire wire = Wire.to(server)) {
      return wire.send(
              "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
          .answer();
    }
  }
}
