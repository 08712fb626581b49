package outbox.jdbc.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PlanRotationTest {
  private static final String SQL = "SELECT 1";
  private static final int MANY = 1_000;

  private long now;
  private final PlanRotation plans = new PlanRotation(() -> now);

  @Test
  void aTextStaysTheSameObjectSoThatADriverFindsItQuickly() {
    assertThat(plans.of(SQL)).isSameAs(plans.of("SELECT " + 1)).startsWith(SQL + "\n--");
  }

  @Test
  void aTextInUseChangesAfterSeconds() {
    String first = use(MANY);
    pass(9);
    assertThat(use(MANY)).isEqualTo(first);
    pass(2);
    String second = use(1);
    assertThat(second).isNotEqualTo(first);
    assertThat(use(MANY)).isEqualTo(second);
  }

  @Test
  void oneThatIsSeldomUsedKeepsItsPlanForAMinute() {
    String first = use(3);
    pass(59);
    assertThat(use(1)).isEqualTo(first);
    pass(2);
    assertThat(use(1)).isNotEqualTo(first);
  }

  @Test
  void textsWithListsOfSeveralLengthsChangeTogether() {
    String edition = plans.of("SELECT ?").substring("SELECT ?\n".length());
    assertThat(plans.of("SELECT ?, ?")).isEqualTo("SELECT ?, ?\n" + edition);
    pass(61);
    assertThat(plans.of("SELECT ?")).doesNotEndWith(edition);
  }

  @Test
  void noOtherStatementHasTheSameEdition() {
    assertThat(new PlanRotation(() -> now).of(SQL)).isNotEqualTo(plans.of(SQL));
  }

  private String use(int times) {
    String text = "";
    for (int i = 0; i < times; i++) {
      text = plans.of(SQL);
    }
    return text;
  }

  private void pass(int seconds) {
    now += TimeUnit.SECONDS.toNanos(seconds);
  }
}
