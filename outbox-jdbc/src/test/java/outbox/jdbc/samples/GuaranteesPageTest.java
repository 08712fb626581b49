package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.contracts.support.Spec;

/** Requirements about what users are told. */
class GuaranteesPageTest {
  private static final String PAGE = Page.of("docs/guarantees.md").flat();

  @Test
  @Spec("FRM-06")
  void saysThatDeliveryIsAtLeastOnceAndDuplicatesAreRecognisedByEventId() {
    assertThat(PAGE)
        .contains("Delivery is **at least once**")
        .contains("recognise it by `eventId`");
    assertThat(Page.of("README.md").flat()).contains("at least once").contains("`eventId`");
  }

  @Test
  @Spec("FRM-10")
  void saysThatExactlyOnceAndDistributedTransactionsAreNoGoals() {
    assertThat(PAGE)
        .contains("Exactly-once delivery end to end is not a goal")
        .contains("Distributed transactions (XA, two-phase commit) are not supported");
  }

  @Test
  @Spec("FRM-39")
  void saysThatTenantsAreNeitherFilteredNorIsolated() {
    assertThat(PAGE)
        .contains("`tenantId` is passed through")
        .contains("no filter, no isolation and no settings by tenant");
  }

  @Test
  @Spec("FRM-85")
  void saysThatBrokerMessagesMustCarryTheEventId() {
    assertThat(PAGE)
        .contains("must put `eventId` into the message's header or body")
        .contains("Consumers must drop what they have seen, by `eventId`");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kill -9",
        "The database restarts",
        "The pool is exhausted",
        "The commit is in doubt",
        "commits after its lease expired",
        "The process is paused",
        "blocks for ever",
        "No listener",
        "REPEATABLE READ",
        "auto-commit",
        "PgBouncer",
        "ROLLBACK TO SAVEPOINT",
        "have no order, not even those of one aggregate"
      })
  void saysWhatHappensWhen(String trouble) {
    assertThat(PAGE).contains(trouble);
  }
}
