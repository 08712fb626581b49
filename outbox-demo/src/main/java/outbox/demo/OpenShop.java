package outbox.demo;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Consumer;
import outbox.OutboxConfig;
import outbox.Retention;
import outbox.admin.AdminConfig;
import outbox.admin.AdminServer;
import outbox.admin.Caller;
import outbox.admin.Role;
import outbox.admin.data.OperatedDatabase;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;

/** The shop with its doors open: two nodes, an inbox, customers, and the dashboard to watch it. */
final class OpenShop implements AutoCloseable {
  static final int PORT = 8085;

  private static final String HOST = "127.0.0.1";
  private static final Caller VISITOR = new Caller("you", Role.ADMIN);
  private static final int WORKERS = 4;
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final Duration KEPT = Duration.ofMinutes(30);

  private final Deque<Runnable> closing = new ArrayDeque<>();
  private final URI address;

  /** Opens it at {@value #PORT}, or if that is taken at any other port. */
  OpenShop(Database database) {
    try {
      this.address = open(database).address();
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private AdminServer open(Database database) {
    OutboxSchema.of(database.dataSource()).withJoins().deploy();
    InboxSchema.of(database.dataSource()).deploy();
    Staff staff = new Staff();
    JdbcOutbox outbox = keep(outbox(database, "node-a", staff), JdbcOutbox::close);
    keep(outbox(database, "node-b", staff), JdbcOutbox::close);
    JdbcInbox inbox = keep(inbox(database, staff), JdbcInbox::close);
    keep(new Customers(outbox, inbox), Customers::close).start();
    return keep(serve(dashboard(database)), AdminServer::close);
  }

  private static JdbcOutbox outbox(Database database, String node, Staff staff) {
    OutboxConfig config =
        new OutboxConfig()
            .setDispatcherWorkers(WORKERS)
            .setLeaseDuration(LEASE)
            .setRetryBaseDelayMs(500)
            .setRetryMaxDelayMs(10_000)
            .setRetryMaxAttempts(5);
    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(database.dataSource())
            .joins()
            .node(node)
            .config(config)
            .retention(Retention.ofOutbox().completed(KEPT).joins(KEPT));
    staff.handlers().forEach(builder::handler);
    return builder.start();
  }

  private static JdbcInbox inbox(Database database, Staff staff) {
    return JdbcInbox.builder(database.dataSource())
        .retention(Retention.ofInbox().payloads(KEPT).completed(KEPT))
        .handler(Customers.PAYMENT, (message, context) -> staff.book())
        .start();
  }

  /**
   * A user of this machine may do everything, without a token: fit for a demo that listens to the
   * loopback address, where the server answers to no name but the local ones, and for nothing else.
   */
  private static AdminConfig dashboard(Database database) {
    return AdminConfig.builder(OperatedDatabase.builder("shop", database.dataSource()).build())
        .access(request -> Optional.of(VISITOR))
        .showPayloads(Role.READ)
        .prometheus()
        .sampling(Duration.ofSeconds(2))
        .build();
  }

  private static AdminServer serve(AdminConfig config) {
    try {
      return AdminServer.start(config, HOST, PORT);
    } catch (IllegalStateException e) {
      return AdminServer.start(config, HOST, 0);
    }
  }

  private <T> T keep(T part, Consumer<T> close) {
    closing.push(() -> close.accept(part));
    return part;
  }

  URI address() {
    return address;
  }

  /** In the opposite order: the dashboard and the customers go first, the engines last. */
  @Override
  public void close() {
    while (!closing.isEmpty()) {
      closing.pop().run();
    }
  }
}
