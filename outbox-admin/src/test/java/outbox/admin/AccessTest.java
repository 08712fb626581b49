package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.admin.Site.Reply;

class AccessTest {

  @Test
  void everyRequestNeedsACredential() {
    try (Site site = Site.start()) {
      Reply reply = site.send(site.request("GET", Site.API, null));

      assertThat(reply.status()).isEqualTo(401);
      assertThat(reply.header("WWW-Authenticate")).hasValue("Bearer realm=\"outbox\"");
      assertThat(reply.header("Content-Type")).hasValue("application/problem+json");
      assertThat(reply.value("/status")).isEqualTo("401");
      assertThat(site.send(site.request("GET", Site.API + "/health", null)).status())
          .isEqualTo(401);
      assertThat(site.send(site.request("GET", Site.API + "/none", null)).status()).isEqualTo(401);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bearer wrong-token-0123456789",
        "Bearer " + Site.READER + "x",
        "Bearer ",
        "Bearer",
        "Basic cmVhZGVyOnJlYWRlcg==",
        Site.READER
      })
  void aWrongCredentialIsRefusedEvenWhereAnybodyMayLook(String credential) {
    try (Site site = Site.start(AdminConfig.Builder::anonymousRead)) {
      Reply reply =
          site.send(site.request("GET", Site.API, null).header("Authorization", credential));

      assertThat(reply.status()).isEqualTo(401);
      assertThat(site.send(site.request("GET", Site.API, null)).status()).isEqualTo(200);
    }
  }

  @Test
  void aReaderLooksButChangesNothing() {
    try (Site site = Site.start()) {
      String dead = site.queue().dead("order", "boom");

      Reply reply =
          site.send(
              site.action("/" + dead + "/replay", null)
                  .header("Authorization", "Bearer " + Site.READER));

      assertThat(reply.status()).isEqualTo(403);
      assertThat(site.get("/" + dead).value("/status")).isEqualTo("DEAD");
      assertThat(site.get("/session").text())
          .contains("\"user\":\"rita\"", "\"canWrite\":false", "\"payloads\":false");
    }
  }

  @Test
  void writesAreRefusedUnlessAnAdminIsNamed() {
    try (Site site = Site.start(AdminConfig.Builder::anonymousRead)) {
      String dead = site.queue().dead("order", "boom");

      Reply reply = site.send(site.action("/" + dead + "/replay", null));

      assertThat(reply.status()).isEqualTo(403);
      assertThat(site.get("/" + dead).value("/status")).isEqualTo("DEAD");
    }
  }

  @Test
  void aRequestWithoutTheHeaderOfThePagesChangesNothing() {
    try (Site site = Site.start()) {
      String dead = site.queue().dead("order", "boom");

      Reply reply =
          site.send(
              site.request("POST", Site.API + "/" + dead + "/replay", null)
                  .header("Authorization", "Bearer " + Site.ADMIN));

      assertThat(reply.status()).isEqualTo(403);
      assertThat(reply.value("/detail")).contains("X-Outbox-Action");
      assertThat(site.get("/" + dead).value("/status")).isEqualTo("DEAD");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://evil.example",
        "null",
        "http://127.0.0.1:1",
        "http://127.0.0.1.evil.example",
        "not an origin"
      })
  void aRequestFromAnotherOriginChangesNothing(String origin) {
    try (Site site = Site.start()) {
      String dead = site.queue().dead("order", "boom");

      Reply reply = replay(site, dead, origin);

      assertThat(reply.status()).isEqualTo(403);
      assertThat(reply.headers()).doesNotContainKey("access-control-allow-origin");
      assertThat(site.get("/" + dead).value("/status")).isEqualTo("DEAD");
    }
  }

  @Test
  void aRequestFromTheSameOriginOrAnAllowedOneActs() {
    try (Site site = Site.start(it -> it.allowedOrigin("https://ops.example"))) {
      String own = site.address().toString().replaceAll("/$", "");

      assertThat(replay(site, site.queue().dead("order", "boom"), own).status()).isEqualTo(200);
      assertThat(replay(site, site.queue().dead("order", "boom"), "https://ops.example").status())
          .isEqualTo(200);
    }
  }

  @Test
  void aBrowserSignsInByItsTokenAndOutAgain() {
    try (Site site = Site.start()) {
      Reply in = signIn(site, Site.ADMIN);
      String header = in.header("Set-Cookie").orElseThrow();
      String cookie = header.substring(0, header.indexOf(';'));

      assertThat(header).contains("; HttpOnly", "; SameSite=Strict", "; Path=/");
      assertThat(header).doesNotContain(Site.ADMIN);
      assertThat(session(site, cookie).value("/user")).isEqualTo("alan");
      assertThat(session(site, cookie).value("/canWrite")).isEqualTo("true");
      Reply out =
          site.send(
              site.request("POST", "/ui/logout", null)
                  .header("X-Outbox-Action", "1")
                  .header("Cookie", cookie));
      assertThat(out.header("Set-Cookie"))
          .hasValueSatisfying(it -> assertThat(it).contains("Max-Age=0"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "Origin, https://{host}, true",
    "X-Forwarded-Proto, https, true",
    "X-Forwarded-Proto, 'HTTPS, http', true",
    "Forwarded, for=1.2.3.4;proto=https;host=ops.example, true",
    "Forwarded, 'for=1.2.3.4;Proto=\"https\"', true",
    "Origin, http://{host}, false",
    "X-Forwarded-Proto, http, false",
    "Forwarded, for=1.2.3.4;proto=http, false"
  })
  void theCookieIsSecureWhereTheBrowserSpeaksTls(String header, String value, boolean secure) {
    try (Site site = Site.start()) {
      Reply in =
          site.send(
              site.request("POST", "/ui/login", "{\"token\":\"" + Site.READER + "\"}")
                  .header("X-Outbox-Action", "1")
                  .header(header, value.replace("{host}", site.address().getAuthority())));

      assertThat(in.header("Set-Cookie"))
          .hasValueSatisfying(it -> assertThat(it.contains("; Secure")).isEqualTo(secure));
    }
  }

  @Test
  void aCookieIsNoLongerGoodOnceItsBrowserSignedOut() {
    try (Site site = Site.start()) {
      String first = cookie(signIn(site, Site.ADMIN));
      String second = cookie(signIn(site, Site.ADMIN));
      site.send(
          site.request("POST", "/ui/logout", null)
              .header("X-Outbox-Action", "1")
              .header("Cookie", first));

      assertThat(session(site, first).status()).isEqualTo(401);
      assertThat(session(site, second).status()).isEqualTo(200);
      assertThat(session(site, first + "; " + second).status()).isEqualTo(200);
    }
  }

  private static String cookie(Reply reply) {
    String header = reply.header("Set-Cookie").orElseThrow();
    return header.substring(0, header.indexOf(';'));
  }

  @Test
  void onlyTheClientThatGuessesTokensIsSlowedDown() {
    try (Site site = Site.start()) {
      assertThat(get(site, "127.0.0.1", Site.READER)).contains(" 200 ");
      for (int i = 0; i < WrongTokens.PER_ADDRESS; i++) {
        assertThat(get(site, "127.0.0.1", "wrong-token-0123456789-" + i)).contains(" 401 ");
      }

      assertThat(get(site, "127.0.0.1", "wrong-token-0123456789")).contains(" 429 ", "Retry-After");
      assertThat(get(site, "127.0.0.1", Site.ADMIN)).contains(" 429 ");
      assertThat(signIn(site, Site.ADMIN).status()).isEqualTo(429);
      assertThat(get(site, "127.0.0.1", Site.READER)).contains(" 200 ");
      assertThat(get(site, "127.0.0.2", Site.ADMIN)).contains(" 200 ");
      assertThat(get(site, "127.0.0.1", "x\r\nX-Forwarded-For: 9.9.9.9")).contains(" 429 ");
    }
  }

  private static String get(Site site, String from, String token) {
    try (Wire wire = Wire.from(from, site.address())) {
      return wire.send(
              "GET " + Site.API + "/session HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n",
              "Authorization: Bearer " + token + "\r\n\r\n")
          .answer();
    }
  }

  @Test
  void wrongTokensOfASignInCountToo() {
    try (Site site = Site.start()) {
      for (int i = 0; i < WrongTokens.PER_ADDRESS; i++) {
        assertThat(signIn(site, "wrong-token-0123456789").status()).isEqualTo(401);
      }

      assertThat(signIn(site, "wrong-token-0123456789").status()).isEqualTo(429);
    }
  }

  @Test
  void aWrongTokenIsRefusedAndAnotherSiteCannotTry() {
    try (Site site = Site.start()) {
      Reply wrong = signIn(site, "wrong-token-0123456789");
      Reply foreign =
          site.send(
              site.request("POST", "/ui/login", "{\"token\":\"" + Site.ADMIN + "\"}")
                  .header("X-Outbox-Action", "1")
                  .header("Origin", "https://evil.example"));

      assertThat(wrong.status()).isEqualTo(401);
      assertThat(wrong.header("Set-Cookie")).isEmpty();
      assertThat(foreign.status()).isEqualTo(403);
      assertThat(foreign.header("Set-Cookie")).isEmpty();
    }
  }

  @Test
  void aForgedOrExpiredCookieIsRefused() {
    try (Site site = Site.start(it -> it.login(Duration.ofMillis(1)))) {
      String header = signIn(site, Site.READER).header("Set-Cookie").orElseThrow();
      String expired = header.substring(0, header.indexOf(';'));
      String prolonged = expired.replaceFirst("\\.\\d+\\.", ".99999999999999.");

      assertThat(session(site, expired).status()).isEqualTo(401);
      assertThat(session(site, prolonged).status()).isEqualTo(401);
      for (String value : new String[] {"", ".", "..", "a.b.c", "a.1.", "YWxhbg.x.y"}) {
        assertThat(session(site, LoginCookie.NAME + "=" + value).status()).isEqualTo(401);
      }
    }
  }

  @Test
  void anApplicationTellsWhoCallsInItsOwnWay() {
    UnaryOperator<AdminConfig.Builder> settings =
        it ->
            it.access(
                request ->
                    Optional.ofNullable(request.getHeader("X-Proxy-User"))
                        .map(name -> new Caller(name, Role.READ)));
    try (Site site = Site.start(settings)) {
      Reply reply =
          site.send(
              site.request("GET", Site.API + "/session", null).header("X-Proxy-User", "paula"));

      assertThat(reply.value("/user")).isEqualTo("paula");
    }
  }

  private static Reply replay(Site site, String id, String origin) {
    return site.send(
        site.action("/" + id + "/replay", null)
            .header("Authorization", "Bearer " + Site.ADMIN)
            .header("Origin", origin));
  }

  private static Reply signIn(Site site, String token) {
    return site.send(
        site.request("POST", "/ui/login", "{\"token\":\"" + token + "\"}")
            .header("X-Outbox-Action", "1"));
  }

  private static Reply session(Site site, String cookie) {
    return site.send(site.request("GET", Site.API + "/session", null).header("Cookie", cookie));
  }
}
