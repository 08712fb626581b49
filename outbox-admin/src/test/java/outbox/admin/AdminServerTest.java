package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import outbox.admin.data.OperatedDatabase;

class AdminServerTest {
  private final AdminConfig config =
      AdminConfig.builder(OperatedDatabase.builder("main", new JdbcDataSource()).build())
          .anonymousRead()
          .build();

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
