package outbox.contracts.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.inbox.InboxStore;
import outbox.inbox.InboxWorkStore;
import outbox.spi.LeasedEventStore;

/**
 * Each call of the work queue is one transaction: what fails in the middle of it leaves nothing.
 */
interface InboxAtomicityRules extends InboxUnderTest {
  Set<String> TRANSITIONS = Set.of("ack", "abandon", "fail");

  @Test
  @Spec("IBX-102")
  default void aTransitionThatFailsHalfwayLeavesEveryMessageWithItsOwner() {
    InboxKey replaced = new InboxKey("shop", "replaced");
    enqueue(KEY, "{}");
    enqueue(replaced, "old");
    enqueue(replaced, "new");
    List<InboxMessage> claimed = claim(ME);
    assertThat(claimed).extracting(InboxMessage::contentVersion).doesNotHaveDuplicates().hasSize(2);
    Map<String, BiConsumer<InboxWorkStore, List<InboxMessage>>> calls =
        Map.of(
            "ack", (work, all) -> work.ack(ME, all),
            "abandon", (work, all) -> work.abandon(ME, all),
            "abandon with a delay", (work, all) -> work.abandon(ME, all, "error", LEASE),
            "fail", (work, all) -> work.fail(ME, all, "error"));

    for (int allowed = 0; allowed < claimed.size(); allowed++) {
      InboxStore broken = breakingAfter(allowed);
      calls.forEach(
          (name, call) -> {
            InboxWorkStore work = Inbox.builder(connections(), broken).buildWorkStore();
            assertThatThrownBy(() -> call.accept(work, claimed)).as(name).hasMessage("broken");
            for (InboxMessage each : claimed) {
              assertThat(owner(each.key())).as(name).isEqualTo(ME.value());
              assertThat(status(each.key())).as(name).isEqualTo(InboxStatus.PROCESSING);
              assertThat(stored(each.key()).attempt()).as(name).isZero();
            }
          });
    }
    assertThat(work().ack(ME, claimed)).hasSize(2);
  }

  /** Fails each transition but the first ones of a call, after it has changed its messages. */
  private InboxStore breakingAfter(int allowed) {
    AtomicInteger calls = new AtomicInteger();
    LeasedEventStore events =
        wrapped(
            LeasedEventStore.class,
            store().events(),
            Map.of(),
            method -> {
              if (TRANSITIONS.contains(method) && calls.incrementAndGet() > allowed) {
                calls.set(0);
                throw new IllegalStateException("broken");
              }
            });
    return wrapped(InboxStore.class, store(), Map.of("events", events), method -> {});
  }

  /**
   * Answers some methods with a given value, and passes all others on.
   *
   * @param after gets the name of a method that returned; what it throws is thrown instead
   */
  private static <T> T wrapped(
      Class<T> type, T target, Map<String, ?> answers, Consumer<String> after) {
    return type.cast(
        Proxy.newProxyInstance(
            InboxAtomicityRules.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (answers.containsKey(method.getName())) {
                return answers.get(method.getName());
              }
              try {
                Object result = method.invoke(target, arguments);
                after.accept(method.getName());
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
