package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.contracts.support.Spec;
import outbox.routing.RoundRobinOutboxSelectionStrategy;

/** What many databases get that are given nothing else. */
class DatabasesBuilderTest {

  static Stream<DatabasesBuilder<?>> builders() {
    return Stream.of(JdbcOutboxes.builder(), JdbcInboxes.builder());
  }

  @ParameterizedTest
  @MethodSource("builders")
  @Spec({"OBX-070", "OBXU-05", "IBX-094"})
  void hasTheDefaultsOfTheSpecification(DatabasesBuilder<?> builder) {
    assertThat(builder.discoveryInterval).isEqualTo(Duration.ofMinutes(5));
    assertThat(builder.config.getPollerBatchSize()).isEqualTo(50);
    assertThat(builder.config.getLeaseDuration()).isEqualTo(Duration.ofSeconds(30));
    assertThat(builder.config.getNetworkTimeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(builder.strategy).isInstanceOf(RoundRobinOutboxSelectionStrategy.class);
  }

  @ParameterizedTest
  @MethodSource("builders")
  @Spec({"OBX-069", "OBX-070"})
  void handsItsIntervalToTheDiscoveryAsItIs(DatabasesBuilder<?> builder) {
    builder.discovery(List::of).discoveryInterval(Duration.ofMinutes(-5));

    assertThatThrownBy(
            () -> {
              if (builder instanceof JdbcOutboxes.Builder outboxes) {
                outboxes.start();
              } else {
                ((JdbcInboxes.Builder) builder).start();
              }
            })
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("(PT-5M)");
  }
}
