package outbox.cli;

import java.net.BindException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.logging.Logger;
import outbox.admin.AdminConfig;
import outbox.admin.AdminServer;
import outbox.admin.json.JsonObject;
import outbox.internal.util.Causes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The dashboard and the HTTP interface for databases anywhere. */
@Command(
    name = "serve",
    description = "Serves dashboard and HTTP interface of the databases until Ctrl-C.")
final class ServeCommand extends Subcommand {
  /** Held here: the log manager alone would let it be collected, with its level. */
  private static final Logger ADMIN = Logger.getLogger("outbox.admin");

  @Mixin ServedOptions served = new ServedOptions();

  @Mixin TableOptions tables = new TableOptions();

  @Option(
      names = "--host",
      defaultValue = "127.0.0.1",
      description = "address to listen to (default: ${DEFAULT-VALUE}, this machine only)")
  String host = "";

  @Option(
      names = "--port",
      defaultValue = "8080",
      description = "port to listen to; 0 for any that is free (default: ${DEFAULT-VALUE})")
  int port;

  @Mixin AccessOptions access = new AccessOptions();

  @Option(names = "--prometheus", description = "with figures in Prometheus' text format")
  boolean prometheus;

  @Option(names = "--json", description = "say where it is as JSON")
  boolean json;

  @Override
  public Integer call() {
    checkAddress();
    List<ServedDatabase> databases = new ArrayList<>();
    try {
      served
          .logins()
          .forEach((name, login) -> databases.add(new ServedDatabase(name, login, tables)));
      serve(databases);
      return 0;
    } finally {
      databases.forEach(ServedDatabase::close);
    }
  }

  private void checkAddress() {
    if (port < 0 || port > 65_535) {
      throw new WrongCallException("--port (" + port + ") must be from 0 to 65535");
    }
    boolean local = address().isLoopbackAddress();
    if (access.anonymous && !local) {
      throw new WrongCallException(
          "--anonymous is for this machine only, and --host ("
              + host
              + ") is open to others;"
              + " give them a token: --read-token-env");
    }
  }

  private InetAddress address() {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new WrongCallException("--host (" + host + ") is not known");
    }
  }

  private void serve(List<ServedDatabase> databases) {
    ADMIN.setLevel(Level.INFO);
    AdminConfig.Builder config = AdminConfig.builder(databases.get(0).database());
    databases.stream().skip(1).forEach(each -> config.database(each.database()));
    Map<String, String> madeUp = access.addTo(config);
    if (prometheus) {
      config.prometheus();
    }
    AdminServer server = start(config.build());
    Thread atExit = new Thread(server::close, "outbox-serve-stop");
    Runtime.getRuntime().addShutdownHook(atExit);
    announce(server, databases, madeUp);
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Runtime.getRuntime().removeShutdownHook(atExit);
      server.close();
    }
  }

  private AdminServer start(AdminConfig config) {
    try {
      return AdminServer.start(config, host, port);
    } catch (IllegalStateException e) {
      for (Throwable cause : Causes.of(e)) {
        if (cause instanceof BindException refused) {
          throw new IllegalStateException(
              "cannot listen to port "
                  + port
                  + " of "
                  + host
                  + ": "
                  + refused.getMessage()
                  + "; give another by --port, 0 for any that is free, or another address by"
                  + " --host");
        }
      }
      throw e;
    }
  }

  private void announce(
      AdminServer server, List<ServedDatabase> databases, Map<String, String> madeUp) {
    String api = server.address().resolve(AdminConfig.DEFAULT_API_PATH).toString();
    if (json) {
      JsonObject fields =
          new JsonObject().put("dashboard", server.address().toString()).put("api", api);
      fields.put("databases", databases.stream().map(each -> each.database().name()).toList());
      madeUp.forEach(fields::put);
      out().println(fields);
      return;
    }
    Fields fields = new Fields();
    databases.parallelStream()
        .map(each -> each.database().name() + ": " + each.shownUrl() + ", " + each.state())
        .toList()
        .forEach(line -> fields.add("database", line));
    fields.add("dashboard", server.address()).add("HTTP API", api);
    madeUp.forEach((name, token) -> fields.add(shown(name), token + " (made up, until Ctrl-C)"));
    fields.print(new Screen(out(), Screen.UNLIMITED, false));
  }

  private static String shown(String name) {
    return Map.of("readToken", "read token", "adminToken", "admin token").getOrDefault(name, name);
  }
}
