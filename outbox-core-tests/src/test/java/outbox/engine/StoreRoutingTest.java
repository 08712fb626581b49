package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.Outbox;
import outbox.contracts.support.Spec;
import outbox.dispatch.MultiOutboxDispatcher;
import outbox.model.EventStatus;
import outbox.model.MessageId;
import outbox.model.OwnerToken;

/** Each message goes to the store of its key. */
class StoreRoutingTest extends ManyStores {
  @Test
  @Spec({"OBX-060", "OBX-061", "OBX-066", "OBX-068", "OBX-115", "OBXU-02"})
  void messageGoesToTheStoreOfItsKeyAndIsHandledOnce() {
    String uuid = UUID.randomUUID().toString();
    Tenant one = tenant("one");
    Tenant two = tenant(uuid);
    AtomicInteger handled = new AtomicInteger();
    handlers.registerAll(event -> handled.incrementAndGet());
    MultiOutboxDispatcher dispatcher = start();

    dispatcher.router().getOutbox("one").enqueue("Any", "{}");
    dispatcher.router().getOutbox(UUID.fromString(uuid)).enqueue("Any", "{}");
    dispatcher.router().getOutbox(uuid).enqueue("Any", "{}");

    awaitTrue(() -> done(one) == 1 && done(two) == 2);
    assertThat(handled).hasValue(3);
    assertThat(dispatcher.router().getOutbox("one")).isSameAs(dispatcher.router().getOutbox("one"));
  }

  @Test
  @Spec({"OBX-058", "OBX-059"})
  void theMostAttemptsOfTheConfigurationHoldForEachOutbox() {
    config.setRetryMaxAttempts(1).setPollerEnabled(false);
    Tenant one = tenant("one");
    Outbox outbox = start().router().getOutbox("one");
    OwnerToken owner = new OwnerToken("me");
    MessageId id = outbox.enqueue("Any", "{}").id();
    assertThat(outbox.claim(owner, Duration.ofMinutes(1), 10)).hasSize(1);

    outbox.abandon(owner, List.of(id));

    assertThat(one.events.count(EventStatus.DEAD)).isEqualTo(1);
  }

  @Test
  @Spec({"FRM-79", "OBX-061"})
  void nothingIsClaimedWhilePollingIsOff() {
    config.setPollerEnabled(false);
    Tenant one = tenant("one");
    fill(one, 3);
    handlers.registerAll(event -> {});
    MultiOutboxDispatcher dispatcher = start();

    dispatcher.wake("one");
    dispatcher.close();

    assertThat(metrics.depthReports()).isZero();
    assertThat(one.events.count(EventStatus.NEW)).isEqualTo(3);
  }

  @Test
  @Spec("OBX-067")
  void unknownKeyIsRefusedByNameAndNumberOfThoseKnown() {
    tenant("one");
    tenant("two");
    MultiOutboxDispatcher dispatcher = start();

    assertThatThrownBy(() -> dispatcher.router().getOutbox("three"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("three")
        .hasMessageContaining("2 keys");
  }
}
