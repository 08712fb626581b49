package outbox.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import outbox.routing.OutboxStore;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoreException;
import outbox.spi.TransactionRunner;
import outbox.testing.memory.InMemoryEventStore;

/** A database among many, in memory, which can fail, hang and count. */
final class Tenant {
  final InMemoryEventStore events = new InMemoryEventStore();
  final AtomicInteger connects = new AtomicInteger();
  final AtomicInteger closes = new AtomicInteger();
  final OutboxStore store;
  volatile boolean down;
  volatile boolean noTransactions;
  volatile @Nullable CountDownLatch hang;
  private final Meter meter;

  /** Connections of all tenants that are open at once. */
  static final class Meter {
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    int most() {
      return most.get();
    }

    private void opened() {
      int now = open.incrementAndGet();
      most.accumulateAndGet(now, Math::max);
    }
  }

  Tenant(String name, Meter meter) {
    this.meter = meter;
    ConnectionProvider engine = this::connect;
    this.store =
        OutboxStore.builder(name, engine, events)
            .applicationConnections(events.connections())
            .transactions(this::transact)
            .onClose(closes::incrementAndGet)
            .build();
  }

  private void transact(TransactionRunner.Work work) throws Exception {
    if (noTransactions) {
      throw new StoreException("begin failed", new SQLException("connection refused", "08001"));
    }
    events.transactions().run(work);
  }

  private Connection connect() throws SQLException {
    connects.incrementAndGet();
    meter.opened();
    boolean connected = false;
    try {
      CountDownLatch latch = hang;
      if (latch != null) {
        latch.await();
      }
      if (down) {
        throw new SQLException("connection refused", "08001");
      }
      connected = true;
      return metered(events.connections().getConnection());
    } catch (InterruptedException e) {
      throw new SQLException(e);
    } finally {
      if (!connected) {
        meter.open.decrementAndGet();
      }
    }
  }

  private Connection metered(Connection target) {
    return (Connection)
        Proxy.newProxyInstance(
            Tenant.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, args) -> {
              if (method.getName().equals("close")) {
                meter.open.decrementAndGet();
              }
              try {
                return method.invoke(target, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
