package outbox.contracts.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.MetricsExporter;
import outbox.spi.TxContext;

/** A savepoint rolled back after publish takes its events with it, also out of memory. */
interface SavepointRules extends OutboxUnderTest {

  @Test
  default void eventPublishedSinceARolledBackSavepointIsNeverDelivered() throws Exception {
    deliversOnlyWhatSurvivesASavepoint(txContext());
  }

  @Test
  default void contextThatDoesNotSeeSavepointsDeliversOnlyWhatTheDatabaseConfirms()
      throws Exception {
    deliversOnlyWhatSurvivesASavepoint(null);
  }

  private void deliversOnlyWhatSurvivesASavepoint(@Nullable TxContext seeing) throws Exception {
    List<String> received = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry().registerAll(event -> received.add(event.eventId())));
    EventEnvelope before = EventEnvelope.ofJson("Before", "{}");
    EventEnvelope undone = EventEnvelope.ofJson("Undone", "{}");
    EventEnvelope undoneAmongMany = EventEnvelope.ofJson("Undone", "{}");
    EventEnvelope after = EventEnvelope.ofJson("After", "{}");

    transactions()
        .run(
            connection -> {
              TxContext context = seeing != null ? seeing : new BlindContext(txContext());
              OutboxClient client =
                  new OutboxClient(context, store(), dispatcher, MetricsExporter.NOOP);
              client.publish(before);
              Savepoint savepoint = connection.setSavepoint();
              client.publish(undone);
              client.publishAll(List.of(undoneAmongMany));
              connection.rollback(savepoint);
              client.publishAll(List.of(after));
            });

    awaitStatus(before.eventId(), EventStatus.DONE);
    awaitStatus(after.eventId(), EventStatus.DONE);
    dispatcher.close();
    assertThat(row(undone.eventId())).isEmpty();
    assertThat(row(undoneAmongMany.eventId())).isEmpty();
    assertThat(received).containsExactlyInAnyOrder(before.eventId(), after.eventId());
  }

  /** Runs every callback after the commit, whatever became of the savepoints between. */
  final class BlindContext implements TxContext {
    private final TxContext delegate;
    private final List<Runnable> callbacks = new ArrayList<>();

    BlindContext(TxContext delegate) {
      this.delegate = delegate;
      delegate.afterCommit(() -> callbacks.forEach(Runnable::run));
    }

    @Override
    public boolean isTransactionActive() {
      return delegate.isTransactionActive();
    }

    @Override
    public Connection currentConnection() {
      return delegate.currentConnection();
    }

    @Override
    public void afterCommit(Runnable callback) {
      callbacks.add(callback);
    }

    @Override
    public void afterRollback(Runnable callback) {
      delegate.afterRollback(callback);
    }
  }
}
