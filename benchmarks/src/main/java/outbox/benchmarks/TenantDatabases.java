package outbox.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import javax.sql.DataSource;
import outbox.jdbc.schema.OutboxSchema;

/** Databases of one server, each with an empty outbox; dropped when closed. */
final class TenantDatabases implements AutoCloseable {
  private static final String TEMPLATE = "tenant_template";

  private final Server server;
  private final List<String> names = new ArrayList<>();

  private TenantDatabases(Server server) {
    this.server = server;
  }

  static TenantDatabases create(Server server, int count) {
    TenantDatabases databases = new TenantDatabases(server);
    server.execute("CREATE DATABASE " + TEMPLATE);
    OutboxSchema.of(server.dataSource(TEMPLATE)).deploy();
    for (int i = 0; i < count; i++) {
      String name = "tenant_" + i;
      server.execute("CREATE DATABASE " + name + " TEMPLATE " + TEMPLATE + " STRATEGY file_copy");
      databases.names.add(name);
    }
    return databases;
  }

  /** The databases in turns: any number stands for one of them. */
  String name(int number) {
    return names.get(Math.floorMod(number, names.size()));
  }

  void each(BiConsumer<String, DataSource> use) {
    names.forEach(name -> use.accept(name, server.dataSource(name)));
  }

  @Override
  public void close() {
    names.forEach(name -> server.execute("DROP DATABASE " + name + " WITH (FORCE)"));
    server.execute("DROP DATABASE " + TEMPLATE + " WITH (FORCE)");
  }
}
