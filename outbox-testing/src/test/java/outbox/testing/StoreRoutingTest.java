package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.dispatch.MultiOutboxDispatcher;

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
