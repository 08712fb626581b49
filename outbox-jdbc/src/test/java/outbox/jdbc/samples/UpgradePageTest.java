package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;

/** The roll-out that users are told. */
class UpgradePageTest {
  private static final String PAGE = Page.of("docs/upgrade.md").flat();

  @Test
  @Spec({"IDEM-60", "IDEM-62"})
  void tellsTheStepsInTheirOrder() {
    assertThat(PAGE)
        .containsSubsequence(
            "**Rehearse.**",
            "**Migrate**",
            "outbox schema migrate",
            "**Verify**",
            "**Deploy the dispatchers**",
            "**the producers**",
            "**Monitor**",
            "rows without a key. It is 0",
            "**Finalize**",
            "outbox schema finalize");
  }

  @Test
  @Spec("IDEM-61")
  void tellsWhatSideBySideMeans() {
    assertThat(PAGE)
        .contains("Their rows have neither a key nor `payload_text`")
        .contains("may be handled twice while both versions dispatch");
  }
}
