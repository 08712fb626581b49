package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.admin.metrics.MetricsSnapshot;
import outbox.admin.metrics.QueueFacts;
import outbox.metrics.Activity;

class HistoryTest {
  private static final int MOST = 360;

  private final History history = new History();

  @Test
  void theLastOnesAreKept() {
    for (int i = 0; i < MOST; i++) {
      history.add(at(i));
    }
    assertThat(history.all()).hasSize(MOST).first().isEqualTo(at(0));

    history.add(at(MOST));

    assertThat(history.all()).hasSize(MOST).first().isEqualTo(at(1));
    assertThat(history.all()).last().isEqualTo(at(MOST));
  }

  @Test
  void oneThatIsNotNewerThanTheLastComesTooLate() {
    history.add(at(2));
    history.add(at(1));
    history.add(at(2));

    assertThat(history.all()).containsExactly(at(2));
  }

  private static MetricsSnapshot at(int second) {
    return MetricsSnapshot.of(
        QueueFacts.complete(Instant.ofEpochSecond(second), List.of()), Activity.NONE);
  }
}
