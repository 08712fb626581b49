package outbox.jdbc.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ChunksTest {

  @Test
  void eachElementIsInOneOfThemOnceInItsOrder() {
    assertThat(Chunks.of(List.of("c", "a", "c", "b", "a"), 2))
        .containsExactly(List.of("c", "a"), List.of("b"));
    assertThat(Chunks.of(Set.of("a"), Integer.MAX_VALUE)).containsExactly(List.of("a"));
    assertThat(Chunks.of(List.of("a", "b"), 2)).containsExactly(List.of("a", "b"));
    assertThat(Chunks.of(List.of(), 2)).isEmpty();
  }
}
