package outbox.jdbc.db;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on loopback whose connections can be cut, refused and stalled, as networks do.
 * Thread-safe.
 */
public final class CuttableProxy implements AutoCloseable {
  private final ServerSocket listener;
  private final Supplier<@Nullable CommitSpotter> spotters;
  private final AtomicReference<@Nullable CommitTrap> trap = new AtomicReference<>();
  private volatile int targetPort;
  private volatile Duration delay = Duration.ZERO;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean stalled;
  private volatile boolean refusing;

  /** Connections that were made before this many are silent for ever. */
  private volatile int silenced;

  private final AtomicInteger made = new AtomicInteger();

  private CuttableProxy(
      ServerSocket listener, int targetPort, Supplier<@Nullable CommitSpotter> spotters) {
    this.listener = listener;
    this.targetPort = targetPort;
    this.spotters = spotters;
  }

  /** Forwards a free port of loopback to the given one. */
  public static CuttableProxy to(int targetPort) {
    return to(targetPort, () -> null);
  }

  /** The same, with a spotter for each connection, so that it can be {@link #cutAtCommit cut}. */
  public static CuttableProxy to(int targetPort, Supplier<@Nullable CommitSpotter> spotters) {
    try {
      ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      CuttableProxy proxy = new CuttableProxy(listener, targetPort, spotters);
      daemon("proxy-accept", proxy::acceptUntilClosed);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** New connections go to another port from now on. */
  public void retarget(int port) {
    targetPort = port;
  }

  /** Holds everything back for this long, in both directions. */
  public void delay(Duration longer) {
    delay = longer;
  }

  /**
   * Cuts the next connection that sends a COMMIT: before the server gets it, or after the server
   * has answered and before the client gets the answer. Needs spotters.
   *
   * @param done is told when that has happened
   */
  public void cutAtCommit(boolean afterTheServer, Runnable done) {
    trap.set(new CommitTrap(afterTheServer, done));
  }

  /** Lets the next COMMIT pass; returns whether one was still waited for. */
  public boolean disarm() {
    return trap.getAndSet(null) != null;
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
      CommitSpotter spotter = spotters.get();
      AtomicReference<@Nullable CommitTrap> answer = new AtomicReference<>();
      daemon(
          "proxy-to-server",
          () -> pump(client, server, number, (bytes, n) -> request(spotter, answer, bytes, n)));
      daemon(
          "proxy-to-client",
          () -> pump(server, client, number, (bytes, n) -> requireNotTrapped(answer)));
    } catch (IOException e) {
      closeQuietly(client);
      throw e;
    }
  }

  /** Looks for a COMMIT of the client. */
  private void request(
      @Nullable CommitSpotter spotter,
      AtomicReference<@Nullable CommitTrap> answer,
      byte[] bytes,
      int length)
      throws IOException {
    if (spotter == null || !spotter.sees(bytes, length)) {
      return;
    }
    CommitTrap caught = trap.getAndSet(null);
    if (caught != null) {
      answer.set(caught);
      if (!caught.afterTheServer) {
        requireNotTrapped(answer);
      }
    }
  }

  private static void requireNotTrapped(AtomicReference<@Nullable CommitTrap> trapped)
      throws IOException {
    CommitTrap caught = trapped.getAndSet(null);
    if (caught != null) {
      caught.done.run();
      throw new IOException("cut at COMMIT");
    }
  }

  private void pump(Socket from, Socket to, int number, Watch watch) {
    byte[] buffer = new byte[16_384];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      try {
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
          awaitPassage(number);
          watch.passing(buffer, read);
          LockSupport.parkNanos(delay.toNanos());
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

  /** Sees what is passed on, and may refuse it, which ends the connection. */
  @FunctionalInterface
  private interface Watch {
    void passing(byte[] bytes, int length) throws IOException;
  }

  private record CommitTrap(boolean afterTheServer, Runnable done) {}

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
