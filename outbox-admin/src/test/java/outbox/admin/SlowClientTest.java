package outbox.admin;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients that send or read nothing more keep no other client from an answer. */
@Tag("slow")
@Timeout(120)
class SlowClientTest {
  private static final String BODY =
      " HTTP/1.1\r\nHost: localhost\r\nX-Outbox-Action: 1\r\nContent-Type: application/json\r\n";
  private static final String TOKEN = "Authorization: Bearer " + Site.ADMIN + "\r\n";
  private static final String LENGTH = "Content-Length: 60\r\n\r\n{\"tok";
  private static final Map<String, String> STALLED =
      Map.of(
          "login", "POST {ui}/ui/login" + BODY + LENGTH,
          "logout", "POST {ui}/ui/logout" + BODY + LENGTH,
          "action", "POST {api}/dead/replay" + BODY + TOKEN + LENGTH,
          "action without a token", "POST {api}/dead/replay" + BODY + LENGTH,
          "action of another site",
              "POST {api}/dead/replay" + BODY + TOKEN + "Origin: http://evil.example\r\n" + LENGTH,
          "unknown address", "POST {api}/a/b/c/d" + BODY + TOKEN + LENGTH,
          "wrong method", "PUT {api}/health" + BODY + TOKEN + LENGTH,
          "look with a body", "GET {api}/health" + BODY + TOKEN + LENGTH,
          "chunks",
              "POST {ui}/ui/login" + BODY + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"tok\r\n",
          "headers", "POST {ui}/ui/login" + BODY + "Content-Le");

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

  static Stream<Arguments> stalled() {
    return STALLED.keySet().stream()
        .flatMap(kind -> IntStream.of(16, 64, 200).mapToObj(number -> Arguments.of(kind, number)));
  }

  @ParameterizedTest
  @MethodSource("stalled")
  void aStalledRequestHoldsNoThreadOfTheServer(String kind, int number) {
    assertAnswers(site.address(), "", kind, number);
  }

  @ParameterizedTest
  @MethodSource("stalled")
  void stalledRequestsHoldFewThreadsOfAContainer(String kind, int number) {
    assertAnswers(container.address(), Container.CONTEXT, kind, number);
  }

  private static void assertAnswers(URI server, String context, String kind, int number) {
    String pages = context.isEmpty() ? "" : context + "/outbox";
    String request = request(kind, pages, context + Site.API);
    List<Wire> stalled = new ArrayList<>();
    try {
      for (int i = 0; i < number; i++) {
        stalled.add(Wire.to(server).send(request));
      }
      long begin = System.nanoTime();
      String answer = Wire.get(server, context + Site.API + "/health", TOKEN.strip());

      assertThat(answer).startsWith("HTTP/1.1 200 ");
      assertThat(System.nanoTime() - begin).isLessThan(5_000_000_000L);
    } finally {
      stalled.forEach(Wire::close);
    }
  }

  private static String request(String kind, String pages, String api) {
    return requireNonNull(STALLED.get(kind)).replace("{ui}", pages).replace("{api}", api);
  }

  @Test
  void whoReadsNoAnswersHoldsNoThreadOfTheServer() {
    String page = "GET /ui/lib/chart.js HTTP/1.1\r\nHost: localhost\r\n\r\n";
    List<Wire> deaf = new ArrayList<>();
    try {
      for (int i = 0; i < 64; i++) {
        deaf.add(Wire.to(site.address()).send(page.repeat(40)));
      }
      long begin = System.nanoTime();

      assertThat(Wire.get(site.address(), Site.API + "/health", TOKEN.strip()))
          .startsWith("HTTP/1.1 200 ");
      assertThat(System.nanoTime() - begin).isLessThan(5_000_000_000L);
    } finally {
      deaf.forEach(Wire::close);
    }
  }

  @Test
  void aBodyThatDoesNotComeIsGivenUp() {
    Map<String, Wire> stalled = new HashMap<>();
    for (String kind : List.of("login", "action", "action without a token", "chunks")) {
      stalled.put(kind, Wire.to(site.address()).send(request(kind, "", Site.API)));
    }

    stalled.forEach(
        (kind, wire) -> {
          try (wire) {
            assertThat(wire.answer())
                .as(kind)
                .startsWith("HTTP/1.1 408 ")
                .contains("Connection: close");
          }
        });
  }

  @Test
  void aBodyThatComesSlowlyIsUnderstood() {
    try (Wire wire = Wire.to(site.address())) {
      String body = "{\"token\":\"" + Site.ADMIN + "\"}";
      wire.send("POST /ui/login" + BODY + "Connection: close\r\nContent-Length: ");
      wire.send(body.length() + "\r\n\r\n");
      body.chars().forEach(c -> wire.send(String.valueOf((char) c)));

      assertThat(wire.answer()).startsWith("HTTP/1.1 200 ").contains("outbox_login=");
    }
  }
}
