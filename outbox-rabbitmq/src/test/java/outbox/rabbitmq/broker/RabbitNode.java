package outbox.rabbitmq.broker;

import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * A node of RabbitMQ in a process of its own, which can be killed, stopped for a while and started
 * again on its data. Needs the scripts of an installed server, such as Debian's package. Not
 * thread-safe.
 */
public final class RabbitNode implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Path DEBIAN = Path.of("/usr/lib/rabbitmq/lib");

  private final Path scripts;
  private final Path folder;
  private final int port;
  private final int distributionPort;
  private final int epmdPort;
  private @Nullable Process process;

  private RabbitNode(Path scripts, Path folder) throws IOException {
    this.scripts = scripts;
    this.folder = folder;
    this.port = freePort();
    this.distributionPort = freePort();
    this.epmdPort = freePort();
  }

  /**
   * Starts a node without data on free ports.
   *
   * @throws TestAbortedException if no server is installed here
   */
  public static RabbitNode start() {
    Path scripts =
        installed()
            .orElseThrow(
                () ->
                    new TestAbortedException(
                        "there is no RabbitMQ server; install rabbitmq-server, or set"
                            + " OUTBOX_RABBITMQ_SBIN to the folder of its scripts"));
    try {
      RabbitNode node = new RabbitNode(scripts, Files.createTempDirectory("outbox-rabbitmq-"));
      Runtime.getRuntime().addShutdownHook(new Thread(node::close));
      node.prepare();
      node.restart();
      return node;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The node that all tests of this JVM share. Do not kill it: others use it. */
  public static RabbitNode shared() {
    return Shared.NODE;
  }

  private static Optional<Path> installed() {
    String named = System.getenv("OUTBOX_RABBITMQ_SBIN");
    if (named != null) {
      return Optional.of(Path.of(named));
    }
    if (!Files.isDirectory(DEBIAN)) {
      return Optional.empty();
    }
    try (Stream<Path> versions = Files.list(DEBIAN)) {
      return versions
          .map(version -> version.resolve("sbin"))
          .filter(sbin -> Files.isExecutable(sbin.resolve("rabbitmq-server")))
          .max(Comparator.naturalOrder());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public ConnectionFactory connections() {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setHost("127.0.0.1");
    factory.setPort(port);
    return factory;
  }

  /** Kills the node with SIGKILL. */
  public void kill() {
    Process running = running();
    List<ProcessHandle> all = new ArrayList<>(running.descendants().toList());
    all.add(running.toHandle());
    all.forEach(ProcessHandle::destroyForcibly);
    all.forEach(ended -> ended.onExit().join());
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

  /** Starts the node again on its data, and returns when it takes connections. */
  public void restart() {
    try {
      process =
          script("rabbitmq-server")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
              .start();
      awaitReady();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs {@code rabbitmqctl}. */
  public void control(String... arguments) {
    List<String> command = new ArrayList<>(List.of("-n", nodeName()));
    command.addAll(List.of(arguments));
    try {
      Process control =
          script("rabbitmqctl", command.toArray(String[]::new)).redirectErrorStream(true).start();
      String output = new String(control.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (control.waitFor() != 0) {
        throw new IllegalStateException("rabbitmqctl failed: " + output);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void prepare() throws IOException {
    Files.writeString(folder.resolve("enabled_plugins"), "[].\n");
    Files.writeString(
        folder.resolve("rabbitmq.conf"),
        "max_message_size = 1000000\nlog.console.level = warning\n");
  }

  private ProcessBuilder script(String name, String... arguments) {
    List<String> command = new ArrayList<>(List.of(scripts.resolve(name).toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(variable -> variable.startsWith("RABBITMQ_"));
    builder
        .environment()
        .putAll(
            Map.ofEntries(
                Map.entry("HOME", folder.toString()),
                Map.entry("RABBITMQ_NODENAME", nodeName()),
                Map.entry("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1"),
                Map.entry("RABBITMQ_NODE_PORT", Integer.toString(port)),
                Map.entry("RABBITMQ_DIST_PORT", Integer.toString(distributionPort)),
                Map.entry("RABBITMQ_MNESIA_BASE", folder.resolve("mnesia").toString()),
                Map.entry("RABBITMQ_LOG_BASE", folder.resolve("log").toString()),
                Map.entry("RABBITMQ_LOGS", "-"),
                Map.entry(
                    "RABBITMQ_ENABLED_PLUGINS_FILE", folder.resolve("enabled_plugins").toString()),
                Map.entry("RABBITMQ_PID_FILE", folder.resolve("pid").toString()),
                Map.entry("RABBITMQ_CONFIG_FILE", folder.resolve("rabbitmq").toString()),
                Map.entry("RABBITMQ_CONF_ENV_FILE", folder.resolve("none.conf").toString()),
                Map.entry("ERL_EPMD_ADDRESS", "127.0.0.1"),
                Map.entry("ERL_EPMD_PORT", Integer.toString(epmdPort))));
    return builder;
  }

  private String nodeName() {
    return "outbox" + port + "@localhost";
  }

  private Path log() {
    return folder.resolve("output.log");
  }

  /** The port opens before the node is ready, but a connection then waits for it. */
  private void awaitReady() throws IOException {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .until(() -> isOpen() || !running().isAlive());
    if (!running().isAlive()) {
      throw new IOException("RabbitMQ did not start:\n" + Files.readString(log()));
    }
  }

  private boolean isOpen() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private void signal(String name) {
    Process running = running();
    List<String> command = new ArrayList<>(List.of("kill", "-" + name));
    command.add(Long.toString(running.pid()));
    running.descendants().forEach(child -> command.add(Long.toString(child.pid())));
    try {
      new ProcessBuilder(command).start().onExit().join();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Process running() {
    Process current = process;
    if (current == null) {
      throw new IllegalStateException("the node does not run");
    }
    return current;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Kills the node and its name server, and deletes its data. */
  @Override
  public void close() {
    if (!Files.exists(folder)) {
      return;
    }
    if (process != null) {
      kill();
    }
    try {
      ProcessBuilder epmd =
          new ProcessBuilder("epmd", "-port", Integer.toString(epmdPort), "-kill");
      epmd.redirectErrorStream(true).start().onExit().join();
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Started by the first who asks, ended with the JVM. */
  private static final class Shared {
    static final RabbitNode NODE = start();
  }
}
