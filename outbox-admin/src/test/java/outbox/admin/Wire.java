package outbox.admin;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;

/** A connection that sends exactly what it is told to, as no client library would. */
final class Wire implements Closeable {
  private static final int PATIENCE_MILLIS = 60_000;

  private final Socket socket;

  private Wire(Socket socket) {
    this.socket = socket;
  }

  static Wire to(URI server) {
    return from("127.0.0.1", server);
  }

  /** Connects from another address of this machine, such as 127.0.0.2. */
  static Wire from(String address, URI server) {
    try {
      Socket socket = new Socket();
      socket.setReceiveBufferSize(4 * 1024);
      socket.bind(new InetSocketAddress(InetAddress.getAllByName(address)[0], 0));
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort()));
      socket.setSoTimeout(PATIENCE_MILLIS);
      return new Wire(socket);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The whole answer to a GET of this target on a connection of its own. */
  static String get(URI server, String target, String... headers) {
    try (Wire wire = to(server)) {
      return wire.send(
              "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n",
              lines(headers),
              "\r\n")
          .answer();
    }
  }

  private static String lines(String... headers) {
    return headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
  }

  Wire send(String... parts) {
    try {
      socket.getOutputStream().write(String.join("", parts).getBytes(ISO_8859_1));
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Everything until the server closes the connection. */
  String answer() {
    try {
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
