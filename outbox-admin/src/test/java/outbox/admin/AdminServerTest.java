package outbox.admin;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.admin.data.OperatedDatabase;

class AdminServerTest {
  private final AdminConfig config = builder().anonymousRead().build();

  @Test
  void aPortThatIsTakenIsNamed() {
    try (AdminServer first = AdminServer.start(config, "127.0.0.1", 0)) {
      int port = first.address().getPort();

      assertThatThrownBy(() -> AdminServer.start(config, "127.0.0.1", port))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("127.0.0.1:" + port);
      assertThat(first.address().getHost()).isEqualTo("127.0.0.1");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "localhost", "shop.localhost", "127.0.0.9", "[::1]"})
  void answersToTheNamesOfTheLocalHost(String host) throws IOException {
    try (AdminServer server = AdminServer.start(config, "127.0.0.1", 0)) {
      assertThat(ask(server, host + ":" + server.address().getPort())).contains(" 200 ");
      assertThat(ask(server, host)).contains(" 200 ");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil-localhost",
        "192.168.0.1",
        "0.0.0.0"
      })
  void answersToNoOtherNameWhereClientsGetInWithoutAToken(String host) throws IOException {
    try (AdminServer server = AdminServer.start(config, "127.0.0.1", 0)) {
      assertThat(ask(server, host)).contains(" 403 ");
    }
  }

  @Test
  void answersToAllowedOriginsAndWhereTokensAreNeededToEveryName() throws IOException {
    try (AdminServer allowed =
            AdminServer.start(
                builder().anonymousRead().allowedOrigin("https://ops.example").build(),
                "127.0.0.1",
                0);
        AdminServer guarded =
            AdminServer.start(builder().readToken("rita", Site.READER).build(), "127.0.0.1", 0)) {
      assertThat(ask(allowed, "ops.example")).contains(" 200 ");
      assertThat(ask(allowed, "evil.example")).contains(" 403 ");
      assertThat(ask(guarded, "ops.example")).contains(" 401 ");
    }
  }

  /** The first line of the answer; a client library would set the host by itself. */
  private static String ask(AdminServer server, String host) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort())) {
      String request =
          "GET "
              + Site.API
              + "/session HTTP/1.1\r\nHost: "
              + host
              + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), US_ASCII).lines().findFirst().get();
    }
  }

  private static AdminConfig.Builder builder() {
    return AdminConfig.builder(OperatedDatabase.builder("main", new JdbcDataSource()).build());
  }

  @Test
  void closingTwiceIsHarmlessAndFreesThePort() {
    AdminServer server = AdminServer.start(config, "127.0.0.1", 0);

    int port = server.address().getPort();
    server.close();
    server.close();

    assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
        .isInstanceOf(ConnectException.class);
  }
}
