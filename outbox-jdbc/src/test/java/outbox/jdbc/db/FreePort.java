package outbox.jdbc.db;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port for a server that is about to start, or to start again: below those that systems give to
 * clients, so that no connection takes it meanwhile.
 */
public final class FreePort {
  private static final int FIRST = 20_000;
  private static final int END = 32_000;
  private static final int TRIES = 1_000;

  private FreePort() {}

  public static int next() {
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, END);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException("no free port from " + FIRST + " to " + END);
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port)) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
