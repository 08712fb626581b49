package outbox.jdbc.model;

import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.contracts.support.Spec;

/** Operations of three owners, the database's time going on and now and then back. */
abstract class QueueModelContract extends ModelContract<Row, Queue> {
  @SuppressWarnings("NullAway.Init")
  private OutboxQueue queue;

  abstract OutboxQueue open();

  @BeforeEach
  final void openQueue() {
    queue = open();
  }

  @AfterEach
  final void closeQueue() {
    if (queue != null) {
      queue.close();
    }
  }

  @Override
  final Comparison<Row, Queue> begin(long seed) {
    boolean deletesWhenDone = seed % 2 == 0;
    queue.startAfresh(deletesWhenDone);
    return new Comparison<>(queue, new QueueModel(deletesWhenDone));
  }

  @Override
  final Function<Queue, Step<Queue>> dice(long seed) {
    return new RandomSteps(seed)::next;
  }

  @Test
  @Spec({"OBX-013", "OBX-020", "OBX-024", "OBX-032", "OBX-038", "OBX-043", "OBX-046"})
  void theQueueDoesWhatItsModelDoes() {
    playRandomly(12, 250);
  }
}
