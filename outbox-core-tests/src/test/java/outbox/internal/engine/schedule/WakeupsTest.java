package outbox.internal.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.spi.NodeSignal;

class WakeupsTest {
  private final List<String> seen = new ArrayList<>();
  private final Signal signal = new Signal();
  private final Wakeups wakeups = new Wakeups(new DueTimes(), signal);

  @Test
  void nowTellsThisProcessOrOtherNodesOrBothOrNone() {
    wakeups.add(new Poller());

    wakeups.now(Wake.NONE);
    assertThat(seen).isEmpty();
    wakeups.now(Wake.OTHER_NODES);
    assertThat(seen).containsExactly("sent");
    wakeups.now(Wake.ALL_NODES);
    assertThat(seen).containsExactly("sent", "now", "sent");
    wakeups.now();
    assertThat(seen).containsExactly("sent", "now", "sent", "now");
  }

  @Test
  void aSignalOfAnotherNodeWakesThisOne() {
    wakeups.add(new Poller());

    signal.listeners.forEach(Runnable::run);

    assertThat(seen).containsExactly("now");
  }

  @Test
  void everyPollerIsWokenAndAnUnseenCommitIsLookedForSoon() {
    wakeups.add(new Poller());
    wakeups.add(new Poller());

    wakeups.soon();

    assertThat(seen).containsExactly("soon", "soon");
  }

  @Test
  void aTimeIsToldOfIfItIsTheNextOne() {
    wakeups.add(new Poller());

    wakeups.dueAt(Instant.now().plusSeconds(60));
    wakeups.dueAfter(Duration.ofMinutes(2));
    assertThat(seen).containsExactly("in time");
    wakeups.dueAfter(Duration.ofSeconds(30));

    assertThat(seen).containsExactly("in time", "in time");
  }

  private final class Poller implements Wakeups.Sleeper {
    @Override
    public void now() {
      seen.add("now");
    }

    @Override
    public void soon() {
      seen.add("soon");
    }

    @Override
    public void inTime() {
      seen.add("in time");
    }
  }

  private final class Signal implements NodeSignal {
    private final List<Runnable> listeners = new ArrayList<>();

    @Override
    public void listen(Runnable onSignal) {
      listeners.add(onSignal);
    }

    @Override
    public void send() {
      seen.add("sent");
    }

    @Override
    public void close() {}
  }
}
