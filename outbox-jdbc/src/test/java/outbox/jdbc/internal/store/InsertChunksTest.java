package outbox.jdbc.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;

/** How many events one INSERT takes: by their number, and by the bytes of their payloads. */
class InsertChunksTest {
  private static final int MEBIBYTE = 1024 * 1024;

  @Test
  void asManyAsAreAllowed() {
    assertThat(sizes(3)).isEmpty();
    assertThat(sizes(3, 1, 1, 1)).containsExactly(3);
    assertThat(sizes(3, 1, 1, 1, 1)).containsExactly(3, 1);
    assertThat(sizes(3, 1, 1, 1, 1, 1, 1, 1)).containsExactly(3, 3, 1);
  }

  @Test
  void asManyAsFitIntoFourMebibytes() {
    assertThat(sizes(100, MEBIBYTE, MEBIBYTE, MEBIBYTE, MEBIBYTE)).containsExactly(4);
    assertThat(sizes(100, MEBIBYTE, MEBIBYTE, MEBIBYTE, MEBIBYTE, 1)).containsExactly(4, 1);
    assertThat(sizes(100, 3 * MEBIBYTE, MEBIBYTE + 1, 3 * MEBIBYTE)).containsExactly(1, 1, 1);
  }

  @Test
  void oneThatIsLargerGoesAlone() {
    assertThat(sizes(100, 5 * MEBIBYTE, 1, 5 * MEBIBYTE)).containsExactly(1, 1, 1);
  }

  @Test
  void inTheirOrder() {
    EventEnvelope first = event(1);
    EventEnvelope second = event(1);

    assertThat(InsertChunks.of(List.of(first, second), 1))
        .containsExactly(List.of(first), List.of(second));
  }

  private static List<Integer> sizes(int maxRows, int... payloads) {
    List<EventEnvelope> events = new ArrayList<>();
    for (int bytes : payloads) {
      events.add(event(bytes));
    }
    return InsertChunks.of(events, maxRows).stream().map(List::size).toList();
  }

  private static EventEnvelope event(int bytes) {
    return EventEnvelope.builder("any")
        .maxPayloadBytes(8 * MEBIBYTE)
        .payloadBytes(new byte[bytes])
        .build();
  }
}
