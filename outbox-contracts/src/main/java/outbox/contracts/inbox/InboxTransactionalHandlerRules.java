package outbox.contracts.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Halt;
import outbox.contracts.support.Spec;
import outbox.inbox.InboxHandlers;
import outbox.inbox.InboxStatus;
import outbox.inbox.TransactionalInboxHandler;
import outbox.spi.LeasedEventStore;

/** Handlers whose effects commit together with the completion of their message, or not at all. */
interface InboxTransactionalHandlerRules extends InboxEngineUnderTest {

  @Test
  @Spec("IBX-102")
  default void aTransactionalHandlersWritesAndItsCompletionAreOneTransaction() {
    AtomicInteger runs = new AtomicInteger();
    List<Throwable> refused = new CopyOnWriteArrayList<>();
    start(
        store().events(),
        new InboxHandlers()
            .register(
                TransactionalInboxHandler.of(
                    "topic",
                    (message, connection) -> {
                      write(connection, "effect " + runs.incrementAndGet());
                      refuse(connection::commit, refused);
                      refuse(connection::rollback, refused);
                      refuse(connection::close, refused);
                      if (runs.get() == 1) {
                        throw new IllegalStateException("once more");
                      }
                    })));

    enqueue(KEY, "{}");

    awaitStatus(KEY, InboxStatus.DONE);
    assertThat(runs).hasValue(2);
    assertThat(written("effect 1")).isFalse();
    assertThat(written("effect 2")).isTrue();
    assertThat(refused).hasSize(6);
  }

  private static void refuse(SqlCall call, List<Throwable> refused) {
    try {
      call.run();
    } catch (SQLException | RuntimeException e) {
      refused.add(e);
    }
  }

  @Test
  @Spec({"IBX-045", "IBX-102"})
  default void aTransactionalHandlerOfReplacedContentRollsBack() throws Exception {
    List<String> handled = new CopyOnWriteArrayList<>();
    AtomicInteger acks = new AtomicInteger();
    Halt halt = new Halt();
    start(
        counting("ack", acks),
        new InboxHandlers()
            .register(
                TransactionalInboxHandler.of(
                    "topic",
                    (message, connection) -> {
                      assertThat(store().find(connection, message.key())).isPresent();
                      write(connection, "effect of " + message.payload());
                      handled.add(message.payload());
                      halt.reach();
                    })));
    enqueue(KEY, "old");
    halt.awaitReached();

    enqueue(KEY, "new");
    halt.release();

    awaitStatus(KEY, InboxStatus.DONE);
    assertThat(handled).contains("old").endsWith("new");
    assertThat(written("effect of old")).isFalse();
    assertThat(written("effect of new")).isTrue();
    assertThat(acks).as("tries, of which a lost message is worth one").hasValueLessThan(20);
  }

  @Test
  @Spec({"IBX-078", "IBX-102"})
  default void aDuplicateInALongTransactionOnlyDelaysATransactionalHandler() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    AtomicInteger acks = new AtomicInteger();
    Halt halt = new Halt();
    start(
        counting("ack", acks),
        new InboxHandlers()
            .register(
                TransactionalInboxHandler.of(
                    "topic",
                    (message, connection) -> {
                      runs.incrementAndGet();
                      halt.reach();
                    })));
    enqueue(KEY, "{}");
    halt.awaitReached();
    try (Connection connection = begun()) {
      inbox().receive(connection, inbound(KEY, "topic", "{}"));
      halt.release();
      awaitTrue(() -> acks.get() > 25 || runs.get() > 1);
      connection.commit();
    }

    awaitStatus(KEY, InboxStatus.DONE);
    assertThat(runs).hasValue(1);
  }

  /** The events of the inbox, counting the calls of a method. */
  private LeasedEventStore counting(String method, AtomicInteger calls) {
    LeasedEventStore events = store().events();
    return (LeasedEventStore)
        Proxy.newProxyInstance(
            LeasedEventStore.class.getClassLoader(),
            new Class<?>[] {LeasedEventStore.class},
            (proxy, called, arguments) -> {
              if (called.getName().equals(method)) {
                calls.incrementAndGet();
              }
              try {
                return called.invoke(events, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** A call that is expected to be refused. */
  @FunctionalInterface
  interface SqlCall {
    void run() throws SQLException;
  }
}
