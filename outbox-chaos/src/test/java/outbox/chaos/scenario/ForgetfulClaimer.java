package outbox.chaos.scenario;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import outbox.Outbox;
import outbox.chaos.scenario.Grants.End;
import outbox.chaos.scenario.Grants.Grant;
import outbox.model.MessageId;
import outbox.model.OwnerToken;

/**
 * Claims and acknowledges until everybody's work is done. Some batches it gives back, and some it
 * forgets, as a crash would.
 */
final class ForgetfulClaimer implements Callable<Integer> {
  private static final int BATCH = 50;
  private static final int FIRST_FORGOTTEN = 5;
  private static final int FORGETS_EVERY = 23;
  private static final int GIVES_BACK_EVERY = 7;

  private final OwnerToken owner = OwnerToken.random();
  private final Outbox outbox;
  private final Grants grants;
  private final Duration lease;
  private final int messages;

  ForgetfulClaimer(Outbox outbox, Grants grants, Duration lease, int messages) {
    this.outbox = outbox;
    this.grants = grants;
    this.lease = lease;
    this.messages = messages;
  }

  /** Returns how many batches it got. */
  @Override
  public Integer call() {
    int batches = 0;
    for (Map<MessageId, Grant> batch = next(); !batch.isEmpty(); batch = next()) {
      batches++;
      if (batches % GIVES_BACK_EVERY == 0) {
        grants.ended(batch, outbox.release(owner, batch.keySet()), End.GIVEN_BACK);
      } else if (batches % FORGETS_EVERY != FIRST_FORGOTTEN) {
        grants.ended(batch, outbox.ack(owner, batch.keySet()), End.ACKNOWLEDGED);
      }
    }
    return batches;
  }

  /** Empty when all is done; what others have forgotten comes when its lease has run out. */
  private Map<MessageId, Grant> next() {
    return await()
        .atMost(Chaos.PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .until(
            () -> grants.add(outbox.claim(owner, lease, BATCH)),
            batch -> !batch.isEmpty() || grants.acknowledged() == messages);
  }
}
