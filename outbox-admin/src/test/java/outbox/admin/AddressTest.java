package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An address that a gate in front could read in another way is refused. */
class AddressTest {
  private static final String TOKEN = "Authorization: Bearer " + Site.READER;

  private static Site site;
  private static Container container;

  @BeforeAll
  static void start() {
    site = Site.start();
    container = Container.start(it -> it);
  }

  @AfterAll
  static void stop() {
    site.close();
    container.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{api}/session;/../../public/x",
        "{api}/session;",
        "{api}/session;jsessionid=1",
        "{api};/session",
        "{api}/session%3b/../../public/x",
        "{api}/session%3B",
        "{api}/public/../session",
        "{api}/x/%2e%2e/session",
        "{api}/x/.%2E/session",
        "{api}/./session",
        "{api}/%2e/session",
        "{api}/session/.",
        "{api}/session/..",
        "{api}//session",
        "{api}/session//",
        "{api}/x\\..\\session",
        "{api}/x%5c..%5csession",
        "{api}/x%2f..%2fsession",
        "{api}%2fsession",
        "{api}/session%252f..",
        "{api}/%2573ession",
        "{api}/%73ession",
        "{api}/sessio%6E",
        "{ui}/u%69/app.css",
        "{api}/session%00",
        "{api}/session%0d%0aX:%20y",
        "/{api}/session",
        "/public/..{api}/session",
        "/public;{api}/session",
        "{ui};/events",
        "{ui}//events",
        "{ui}/ui/%2e%2e/ui/app.css",
        "{ui}/ui/./app.css",
        "{ui}/ui/app.css;x=.png"
      })
  void isRefusedBeforeItIsRouted(String address) {
    String own = address.replace("{api}", Site.API).replace("{ui}", "");
    String there =
        address
            .replace("{api}", Container.CONTEXT + Site.API)
            .replace("{ui}", Container.CONTEXT + "/outbox");

    assertThat(Wire.get(site.address(), own, TOKEN)).startsWith("HTTP/1.1 400 ");
    assertThat(Wire.get(container.address(), there, TOKEN))
        .matches("(?s)HTTP/1.1 (400|404) .*")
        .doesNotContain("\"user\":", "--bg");
  }

  @Test
  void aContextIsNoWayAround() {
    assertThat(Wire.get(container.address(), "/app;x=1" + Site.API + "/session", TOKEN))
        .startsWith("HTTP/1.1 400 ");
    assertThat(Wire.get(container.address(), "/x/../app" + Site.API + "/session", TOKEN))
        .startsWith("HTTP/1.1 400 ");
  }

  @Test
  void aPlainOneIsServed() {
    assertThat(Wire.get(site.address(), Site.API + "/session/", TOKEN)).contains("\"user\":");
    assertThat(Wire.get(site.address(), Site.API + "/a%20b%C3%BC", TOKEN)).contains(" 404 ");
    assertThat(Wire.get(container.address(), Container.CONTEXT + Site.API + "/session", TOKEN))
        .contains("\"user\":");
  }
}
