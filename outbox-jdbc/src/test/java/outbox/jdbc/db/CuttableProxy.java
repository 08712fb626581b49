package outbox.jdbc.db;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A TCP proxy on loopback whose connections can be cut, refused and stalled, as networks do.
 * Thread-safe.
 */
public final class CuttableProxy implements AutoCloseable {
  private final ServerSocket listener;
  private final int targetPort;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean stalled;
  private volatile boolean refusing;

  /** Connections that were made before this many are silent for ever. */
  private volatile int silenced;

  private final AtomicInteger made = new AtomicInteger();

  private CuttableProxy(ServerSocket listener, int targetPort) {
    this.listener = listener;
    this.targetPort = targetPort;
  }

  /** Forwards a free port of loopback to the given one. */
  public static CuttableProxy to(int targetPort) {
    try {
      ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      CuttableProxy proxy = new CuttableProxy(listener, targetPort);
      daemon("proxy-accept", proxy::acceptUntilClosed);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Ends all connections; new ones are still taken. */
  public void cut() {
    sockets.forEach(CuttableProxy::closeQuietly);
    sockets.clear();
  }

  /** From now on new connections end at once, or no longer. */
  public void refuse(boolean refuse) {
    refusing = refuse;
  }

  /** Lets nothing through, or everything that was held back: a network that drops packets. */
  public void stall(boolean stall) {
    lock.lock();
    try {
      stalled = stall;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Lets nothing through on the present connections any more, not even their end; new ones work. So
   * does a firewall that forgets its connections.
   */
  public void silence() {
    lock.lock();
    try {
      silenced = made.get();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    refuse(true);
    closeQuietly(listener);
    cut();
    stall(false);
  }

  private void acceptUntilClosed() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        if (refusing) {
          closeQuietly(client);
        } else {
          forward(client);
        }
      } catch (IOException e) {
        // The listener was closed, or one connection could not be made: the client sees it end.
      }
    }
  }

  private void forward(Socket client) throws IOException {
    sockets.add(client);
    try {
      Socket server = new Socket(InetAddress.getLoopbackAddress(), targetPort);
      sockets.add(server);
      int number = made.incrementAndGet();
      daemon("proxy-to-server", () -> pump(client, server, number));
      daemon("proxy-to-client", () -> pump(server, client, number));
    } catch (IOException e) {
      closeQuietly(client);
      throw e;
    }
  }

  private void pump(Socket from, Socket to, int number) {
    byte[] buffer = new byte[16_384];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      try {
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
          awaitPassage(number);
          out.write(buffer, 0, read);
          out.flush();
        }
      } finally {
        awaitPassage(number);
      }
    } catch (IOException e) {
      // Cut on purpose, or by either end: both ends are closed below.
    } finally {
      closeQuietly(from);
      closeQuietly(to);
      sockets.remove(from);
      sockets.remove(to);
    }
  }

  private void awaitPassage(int number) throws IOException {
    lock.lock();
    try {
      while ((stalled || number <= silenced) && !listener.isClosed()) {
        changed.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      lock.unlock();
    }
  }

  private static void daemon(String name, Runnable loop) {
    Thread thread = new Thread(loop, name);
    thread.setDaemon(true);
    thread.start();
  }

  private static void closeQuietly(Closeable closeable) {
    try {
      closeable.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
