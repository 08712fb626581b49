package outbox.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import outbox.admin.AdminConfig;

/** The server that the command starts, by what it has put out, and a way to talk to it. */
final class Serving {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Serving() {}

  static void serving(List<String> arguments, Consumer<String> whileItRuns) {
    StringWriter out = new StringWriter();
    List<String> all = new ArrayList<>(List.of("serve"));
    all.addAll(arguments);
    if (!arguments.contains("--port")) {
      all.addAll(List.of("--port", "0"));
    }
    CompletableFuture<Integer> exit = new CompletableFuture<>();
    StringWriter err = new StringWriter();
    Thread server =
        new Thread(
            () ->
                exit.complete(
                    Main.run(
                        new PrintWriter(out, true),
                        new PrintWriter(err, true),
                        FakeTerminal.none(),
                        all.toArray(new String[0]))));
    server.start();
    try {
      await()
          .atMost(PATIENCE)
          .until(() -> out.toString().contains(AdminConfig.DEFAULT_API_PATH) || exit.isDone());
      await().atMost(PATIENCE).until(() -> out.toString().endsWith("\n") || exit.isDone());
      assertThat(exit).as(err.toString()).isNotDone();
      whileItRuns.accept(out.toString());
    } finally {
      server.interrupt();
    }
    assertThat(exit.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()).isZero();
  }

  /** The first line of the answer; a client library would set the host by itself. */
  static String statusFor(String host, String out) {
    String request = "GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), address(out).getPort())) {
      socket.getOutputStream().write(request.getBytes(US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), US_ASCII).lines().findFirst().get();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static HttpResponse<String> get(String out, String path, String token) {
    return send(HttpRequest.newBuilder(address(out).resolve(path)).GET(), token);
  }

  static HttpResponse<String> post(String out, String path, String token) {
    return send(
        HttpRequest.newBuilder(address(out).resolve(path))
            .POST(HttpRequest.BodyPublishers.ofString("{}"))
            .header("Content-Type", "application/json"),
        token);
  }

  /** As {@link #post}, as the pages do it. */
  static HttpResponse<String> act(String out, String path, String token) {
    return send(
        HttpRequest.newBuilder(address(out).resolve(path))
            .POST(HttpRequest.BodyPublishers.ofString("{}"))
            .header("Content-Type", "application/json")
            .header("X-Outbox-Action", "1"),
        token);
  }

  private static HttpResponse<String> send(HttpRequest.Builder request, String token) {
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    return HttpClient.newHttpClient()
        .sendAsync(request.timeout(PATIENCE).build(), BodyHandlers.ofString())
        .join();
  }

  static URI address(String out) {
    return URI.create(after(out, "dashboard +"));
  }

  static String after(String out, String name) {
    return out.replaceAll("(?s).*" + name + "(\\S+).*", "$1");
  }
}
