package outbox.admin;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.tomcat.util.buf.EncodedSolidusHandling;

/**
 * The servlet with a small server around it, for those who have no container. Needs {@code
 * org.apache.tomcat.embed:tomcat-embed-core}, which this module does not bring. Speaks plain HTTP:
 * let it listen to the local host, and put what ends TLS in front of it. If it does, and a client
 * gets in without a token, it answers only to names of the local host and to those of allowed
 * origins, so that no web site can read it through a browser on this machine.
 */
public final class AdminServer implements AutoCloseable {
  /** Enough for the databases: no thread waits for a client. */
  private static final int THREADS = 16;

  private static final int CONNECTIONS = 2_000;

  /** A client that neither sends nor reads for so long is gone; longer than a body may take. */
  private static final Duration SILENCE = Body.DEADLINE.multipliedBy(2);

  private static final Duration KEPT_ALIVE = Duration.ofSeconds(60);

  private final Tomcat tomcat;
  private final Path directory;
  private final URI address;
  private final AtomicBoolean closed = new AtomicBoolean();

  private AdminServer(Tomcat tomcat, Path directory, URI address) {
    this.tomcat = tomcat;
    this.directory = directory;
    this.address = address;
  }

  /**
   * Starts serving.
   *
   * @param host the address to listen to, such as 127.0.0.1
   * @param port 0 for any that is free
   * @throws IllegalStateException if it cannot listen there
   */
  public static AdminServer start(AdminConfig config, String host, int port) {
    requireNonNull(host, "host");
    Path directory = directory();
    Tomcat tomcat = new Tomcat();
    tomcat.setSilent(true);
    tomcat.setBaseDir(directory.toString());
    Connector connector = connector(host, port);
    tomcat.setConnector(connector);
    quietErrors(tomcat);
    Context context = context(tomcat, directory);
    AdminServlet servlet =
        new AdminServlet(config, config.hosts.listeningTo(host), new AsyncExchange());
    Wrapper wrapper = Tomcat.addServlet(context, "outbox", servlet);
    wrapper.setAsyncSupported(true);
    wrapper.setLoadOnStartup(1);
    context.addServletMappingDecoded("/*", "outbox");
    try {
      tomcat.start();
    } catch (LifecycleException e) {
      stop(tomcat, directory);
      throw new IllegalStateException("cannot serve at " + host + ":" + port, e);
    }
    String shown = host.contains(":") ? "[" + host + "]" : host;
    URI address = URI.create("http://" + shown + ":" + connector.getLocalPort() + "/");
    return new AdminServer(tomcat, directory, address);
  }

  /** Nothing is ever undeployed, so nothing is looked for that an undeployment could leave. */
  private static Context context(Tomcat tomcat, Path directory) {
    Context context = tomcat.addContext("", directory.toString());
    if (context instanceof StandardContext standard) {
      standard.setClearReferencesRmiTargets(false);
      standard.setClearReferencesThreadLocals(false);
    }
    return context;
  }

  private static Connector connector(String host, int port) {
    Connector connector = new Connector();
    connector.setPort(port);
    connector.setProperty("address", host);
    connector.setProperty("maxThreads", Integer.toString(THREADS));
    connector.setProperty("minSpareThreads", "2");
    connector.setProperty("maxConnections", Integer.toString(CONNECTIONS));
    connector.setProperty("connectionTimeout", Long.toString(SILENCE.toMillis()));
    connector.setProperty("keepAliveTimeout", Long.toString(KEPT_ALIVE.toMillis()));
    connector.setThrowOnFailure(true);
    String asItIs = EncodedSolidusHandling.PASS_THROUGH.getValue();
    connector.setEncodedSolidusHandling(asItIs);
    connector.setEncodedReverseSolidusHandling(asItIs);
    return connector;
  }

  /** What Tomcat itself refuses is answered without its version and without a trace. */
  private static void quietErrors(Tomcat tomcat) {
    ErrorReportValve valve = new ErrorReportValve();
    valve.setShowReport(false);
    valve.setShowServerInfo(false);
    tomcat.getHost().getPipeline().addValve(valve);
  }

  private static Path directory() {
    try {
      return Files.createTempDirectory("outbox-admin");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where the dashboard is. */
  public URI address() {
    return address;
  }

  /** Stops serving, and stops bulk actions after the batch at hand. */
  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      stop(tomcat, directory);
    }
  }

  private static void stop(Tomcat tomcat, Path directory) {
    try (var files = Files.walk(directory)) {
      tomcat.stop();
      tomcat.destroy();
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (LifecycleException e) {
      throw new IllegalStateException("the server did not stop in order", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
