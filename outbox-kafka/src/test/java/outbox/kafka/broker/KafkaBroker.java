package outbox.kafka.broker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A broker in a process of its own, which can be killed, stopped for a while and started again on
 * its data. Not thread-safe.
 */
public final class KafkaBroker implements AutoCloseable {
  private final Path folder;
  private final int port;
  private final int controllerPort;
  private @Nullable Process process;

  private KafkaBroker(Path folder, int port, int controllerPort) {
    this.folder = folder;
    this.port = port;
    this.controllerPort = controllerPort;
  }

  /** Starts a broker without data on free ports. */
  public static KafkaBroker start() {
    try {
      Path folder = Files.createTempDirectory("outbox-kafka-");
      KafkaBroker broker = new KafkaBroker(folder, freePort(), freePort());
      Runtime.getRuntime().addShutdownHook(new Thread(broker::close));
      broker.restart();
      return broker;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The one that all tests of this JVM share. Do not kill it: others use it. */
  public static KafkaBroker shared() {
    return Shared.BROKER;
  }

  public String address() {
    return "127.0.0.1:" + port;
  }

  /** The process of the broker, for those who measure what it costs. */
  public long pid() {
    return running().pid();
  }

  /** Kills the process with SIGKILL. */
  public void kill() {
    running().destroyForcibly().onExit().join();
    process = null;
  }

  /** Stops the process where it is; connections stay open and nothing answers. */
  public void freeze() {
    signal("STOP");
  }

  /** Lets a frozen process continue. */
  public void thaw() {
    signal("CONT");
  }

  /** Starts the broker again on its data, and returns when it takes records. */
  public void restart() {
    try {
      Process started = command().start();
      this.process = started;
      awaitReady(started);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ProcessBuilder command() {
    return new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                BrokerMain.class.getName(),
                folder.toString(),
                Integer.toString(port),
                Integer.toString(controllerPort)))
        .redirectError(log().toFile());
  }

  private Path log() {
    return folder.resolveSibling(folder.getFileName() + ".log");
  }

  private void awaitReady(Process started) throws IOException {
    BufferedReader lines = started.inputReader();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.equals("ready")) {
        Thread reader = new Thread(() -> lines.lines().forEach(ignored -> {}), "kafka-output");
        reader.setDaemon(true);
        reader.start();
        return;
      }
    }
    throw new IOException("Kafka did not start:\n" + Files.readString(log()));
  }

  private void signal(String name) {
    try {
      new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start().onExit().join();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Process running() {
    Process current = process;
    if (current == null) {
      throw new IllegalStateException("the broker does not run");
    }
    return current;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Kills the broker and deletes its data. */
  @Override
  public void close() {
    if (process != null) {
      kill();
    }
    try (Stream<Path> files = Files.exists(folder) ? Files.walk(folder) : Stream.of(log())) {
      files.sorted(Comparator.reverseOrder()).forEach(KafkaBroker::delete);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    delete(log());
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Started by the first who asks, ended with the JVM. */
  private static final class Shared {
    static final KafkaBroker BROKER = start();
  }
}
