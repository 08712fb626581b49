package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.inbox.InboxKey;
import outbox.jdbc.db.PostgresServer;
import outbox.jdbc.db.TestDatabase;

class PostgresEncryptionTest {
  private static final String PASSWORD = "changeit";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  @Spec({"OBX-120", "IBX-128"})
  void outboxAndInboxRunOverEncryptedConnections() throws Exception {
    Path certificate = folder.resolve("server.crt");
    Path key = folder.resolve("server.key");
    makeCertificate(certificate, key);
    PostgresServer server =
        PostgresServer.startOwn(
            Map.of(
                "ssl", "on",
                "ssl_cert_file", certificate.toString(),
                "ssl_key_file", key.toString()));
    String url = server.url("postgres") + "&sslmode=verify-full&sslrootcert=" + certificate;
    BlockingQueue<String> delivered = new LinkedBlockingQueue<>();
    try (HikariDataSource pool = TestDatabase.pool(url);
        JdbcOutbox outbox =
            JdbcOutbox.builder(pool)
                .createSchema()
                .listener("Type", event -> delivered.add(event.eventId()))
                .start();
        JdbcInbox inbox =
            JdbcInbox.builder(pool)
                .createSchema()
                .handler("topic", (message, context) -> delivered.add(message.messageId()))
                .start()) {
      assertThat(isEncrypted(pool)).isTrue();

      outbox.inTransaction(connection -> outbox.publish(EventEnvelope.ofJson("Type", "{}")));

      assertThat(delivered.poll(60, TimeUnit.SECONDS)).isNotNull();
      inbox.receive(new InboxKey("shop", "message-1"), "topic", "{}");
      assertThat(delivered.poll(60, TimeUnit.SECONDS)).isEqualTo("message-1");
    } finally {
      server.stop();
    }
  }

  private static boolean isEncrypted(HikariDataSource pool) throws Exception {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")) {
      return row.next() && row.getBoolean("ssl");
    }
  }

  /** A key and a certificate for localhost that it signs itself, by the JDK's own tool. */
  private void makeCertificate(Path certificate, Path key) throws Exception {
    Path store = folder.resolve("server.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "RSA",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keytool.log").toFile())
            .start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(keytool.exitValue()).isZero();
    KeyStore keys = load(store);
    writePem(certificate, "CERTIFICATE", keys.getCertificate("server").getEncoded());
    writePem(key, "PRIVATE KEY", keys.getKey("server", PASSWORD.toCharArray()).getEncoded());
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
  }

  private static KeyStore load(Path store) throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return keys;
  }

  private static void writePem(Path file, String kind, byte[] content) throws IOException {
    String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    Files.writeString(
        file, "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n".formatted(kind, base64));
  }
}
