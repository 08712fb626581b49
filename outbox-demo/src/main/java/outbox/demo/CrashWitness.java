package outbox.demo;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import outbox.demo.Database.SecondNode;
import outbox.demo.DoomedNode.Witness;

/** Enters in the ledger what the second node says, and knows when it can be killed. */
final class CrashWitness implements Witness {
  private static final int PATIENCE_SECONDS = 60;

  private final Ledger ledger;
  private final CountDownLatch delivered = new CountDownLatch(1);
  private final CountDownLatch open = new CountDownLatch(1);

  CrashWitness(Ledger ledger) {
    this.ledger = ledger;
  }

  @Override
  public void committed(String eventId, String orderId) {
    ledger.committedElsewhere(eventId, orderId);
  }

  @Override
  public void delivered(String eventId) {
    ledger.deliveredByCrashedNode(eventId);
    delivered.countDown();
  }

  @Override
  public void leftOpen(String eventId, String orderId) {
    ledger.lostElsewhere(eventId, orderId);
    open.countDown();
  }

  /** Waits until the node has done everything that it should do before it dies. */
  void awaitDoom(SecondNode node) throws InterruptedException {
    for (int second = 0; second < PATIENCE_SECONDS && node.isAlive(); second++) {
      if (open.await(1, TimeUnit.SECONDS) && delivered.await(1, TimeUnit.SECONDS)) {
        return;
      }
    }
    throw new IllegalStateException(
        node.name() + ", did not get its orders placed; its log may say why: " + node.log());
  }
}
