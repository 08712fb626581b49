package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.EventEnvelope;
import outbox.inbox.InboxKey;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutboxes;

/** How an event reaches the engine that handles it. */
enum WayIn {
  PUBLISH("JdbcOutbox.publish", 500) {
    @Override
    Contestant start(Lab lab, TenantDatabases tenants, CommitClock clock) {
      new Tables(lab.server()).recreate();
      HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
      return closingBehind(pool, new Library(clock.around(pool), clock::arrived, Completion.KEPT));
    }
  },
  RECEIVE("Inbox.receive", 500) {
    @Override
    Contestant start(Lab lab, TenantDatabases tenants, CommitClock clock) {
      new InboxTable(lab.server()).recreate();
      HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
      CompletionCounter counter = new CompletionCounter();
      JdbcInbox inbox =
          JdbcInbox.builder(clock.around(pool))
              .metrics(counter)
              .keepForever()
              .handler(Payload.TYPE, (message, context) -> clock.arrived(message.key().messageId()))
              .start();
      return closingBehind(
          pool,
          contestant(
              event ->
                  inbox.receive(
                      new InboxKey(InboxTable.SOURCE, event.eventId()), Payload.TYPE, Payload.TEXT),
              counter,
              inbox::close));
    }
  },
  ROUTER("router of many databases, 40 connections", 100) {
    @Override
    Contestant start(Lab lab, TenantDatabases tenants, CommitClock clock) {
      CompletionCounter counter = new CompletionCounter();
      JdbcOutboxes.Builder builder =
          JdbcOutboxes.builder()
              .maxConnections(CONNECTIONS)
              .metrics(counter)
              .listener(Payload.TYPE, clock::arrived);
      tenants.each((name, source) -> builder.database(name, clock.around(source)));
      JdbcOutboxes outboxes = builder.start();
      AtomicInteger next = new AtomicInteger();
      return contestant(
          event -> outboxes.getOutbox(tenants.name(next.getAndIncrement())).enqueue(event),
          counter,
          outboxes::close);
    }
  };

  private static final int CONNECTIONS = 40;

  private final String label;
  private final int rate;

  WayIn(String label, int rate) {
    this.label = label;
    this.rate = rate;
  }

  String label() {
    return label;
  }

  /** Events per second. */
  int rate() {
    return rate;
  }

  abstract Contestant start(Lab lab, TenantDatabases tenants, CommitClock clock);

  private static Contestant contestant(Send send, CompletionCounter counter, Runnable close) {
    return new Contestant() {
      @Override
      public void commit(EventEnvelope event, boolean withBusinessRow) {
        send.send(event);
      }

      @Override
      public long completed() {
        return counter.completed();
      }

      @Override
      public void close() {
        close.run();
      }
    };
  }

  private static Contestant closingBehind(HikariDataSource pool, Contestant contestant) {
    return new Contestant() {
      @Override
      public void commit(EventEnvelope event, boolean withBusinessRow) throws Exception {
        contestant.commit(event, withBusinessRow);
      }

      @Override
      public long completed() {
        return contestant.completed();
      }

      @Override
      public void close() {
        contestant.close();
        pool.close();
      }
    };
  }

  @FunctionalInterface
  private interface Send {
    void send(EventEnvelope event);
  }
}
