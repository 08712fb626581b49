package outbox.contracts.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.contracts.inbox.InboxUnderTest.bytes;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;

/** What each call that brings a message does, in each state that the message can be in. */
interface InboxStageRules extends InboxUnderTest {
  byte[] OTHER_HASH = bytes("h2");

  @Test
  @Spec({"IBX-002", "IBX-003", "IBX-005"})
  default void alreadyProcessedIsTrueOfWhatIsDoneAndOfNothingElse() throws SQLException {
    Map<InboxStage, InboxKey> all = inEachStage("");
    advance(Duration.ofSeconds(5));
    for (Map.Entry<InboxStage, InboxKey> each : all.entrySet()) {
      InboxStage stage = each.getKey();
      InboxKey key = each.getValue();
      InboxMessage before = stored(key);
      Instant called = now();

      assertThat(inbox().alreadyProcessed(key, null))
          .as("%s", stage)
          .isEqualTo(stage.status == InboxStatus.DONE);

      assertThat(stored(key).lastSeen()).as("%s", stage).isBetween(called, now());
      assertThat(facts(stored(key))).as("%s", stage).isEqualTo(facts(before));
      try (Connection connection = begun()) {
        assertThat(inbox().alreadyProcessed(connection, key, null))
            .as("%s", stage)
            .isEqualTo(stage.status == InboxStatus.DONE);
      }
    }
    assertThat(claim(OTHER)).extracting(InboxMessage::messageId).containsExactly("WAITING");
  }

  @Test
  @Spec({"IBX-005", "IBX-025", "IBX-026"})
  default void everyCallThatBringsAMessageMovesItsLastSeenTimeAndLeavesTheFirst()
      throws SQLException {
    for (InboxWayIn way : InboxWayIn.values()) {
      Map<InboxStage, InboxKey> all = inEachStage(way.name());
      advance(Duration.ofSeconds(5));
      for (Map.Entry<InboxStage, InboxKey> each : all.entrySet()) {
        Instant first = stored(each.getValue()).firstSeen();
        Instant called = now();

        way.bring(this, again(each.getValue(), InboxStage.HASH));

        InboxMessage after = stored(each.getValue());
        assertThat(after.lastSeen()).as("%s %s", way, each).isBetween(called, now());
        assertThat(after.firstSeen()).as("%s %s", way, each).isEqualTo(first);
      }
    }
  }

  @Test
  @Spec("IBX-008")
  default void anotherHashIsWarnedOfWhateverCallBringsItAndWhateverBecameOfTheMessage()
      throws SQLException {
    for (InboxWayIn way : InboxWayIn.values()) {
      for (InboxStage stage : InboxStage.values()) {
        InboxKey same = stage.reach(this, way + "-same-" + stage);
        InboxKey key = stage.reach(this, way + "-other-" + stage);
        try (LogCapture log = LogCapture.of("outbox")) {
          way.bring(this, again(same, InboxStage.HASH));
          assertThat(log.warnings()).as("%s %s", way, stage).isEmpty();

          way.bring(this, again(key, OTHER_HASH));

          assertThat(log.warnings())
              .as("%s %s", way, stage)
              .singleElement()
              .asString()
              .contains("source=shop messageId=" + key.messageId())
              .contains(replaces(way, stage) ? "this one is stored" : "what is stored stays");
        }
        assertThat(stored(key).hash())
            .as("%s %s", way, stage)
            .isEqualTo(replaces(way, stage) ? OTHER_HASH : InboxStage.HASH);
      }
    }
  }

  private static boolean replaces(InboxWayIn way, InboxStage stage) {
    return way.isEnqueue()
        ? stage.status != InboxStatus.DONE
        : way.isReceive() && stage.awaitsContent();
  }

  @Test
  @Spec("IBX-007")
  default void aHashThatComesLaterIsKeptForTheNextTime() {
    for (InboxStage stage : InboxStage.values()) {
      if (stage.status != InboxStatus.DONE) {
        InboxKey key = stage.reach(this, "without-" + stage);
        inbox().enqueue(InboundMessage.of(key, InboxStage.TOPIC, InboxStage.PAYLOAD));
        assertThat(stored(key).hash()).as("%s", stage).isNull();

        assertThat(inbox().alreadyProcessed(key, OTHER_HASH)).as("%s", stage).isFalse();

        assertThat(stored(key).hash()).as("%s", stage).isEqualTo(OTHER_HASH);
      }
    }
  }

  @Test
  @Spec({"IBX-028", "IBX-029"})
  default void enqueueReplacesTopicPayloadHashAndDueTimeOfAllThatIsNotDone() {
    Instant due = now().plusSeconds(100);
    Map<String, String> headers = Map.of("trace", "2");
    inEachStage("")
        .forEach(
            (stage, key) -> {
              InboxMessage before = stored(key);

              inbox().enqueue(new InboundMessage(key, "second", "two", OTHER_HASH, due, headers));

              InboxMessage after = stored(key);
              if (stage.status == InboxStatus.DONE) {
                assertThat(facts(after)).as("%s", stage).isEqualTo(facts(before));
              } else {
                assertThat(after.topic()).as("%s", stage).isEqualTo("second");
                assertThat(after.payload()).as("%s", stage).isEqualTo("two");
                assertThat(after.hash()).as("%s", stage).isEqualTo(OTHER_HASH);
                assertThat(after.dueTime()).as("%s", stage).isEqualTo(due);
                assertThat(after.headers()).as("%s", stage).isEqualTo(headers);
                assertThat(after.status()).as("%s", stage).isEqualTo(afterEnqueue(stage));
                assertThat(after.attempt()).as("%s", stage).isEqualTo(before.attempt());
                assertThat(after.lastError()).as("%s", stage).isEqualTo(before.lastError());
              }
            });
  }

  private static InboxStatus afterEnqueue(InboxStage stage) {
    return stage.awaitsContent() ? InboxStatus.PROCESSING : stage.status;
  }

  @Test
  @Spec({"IBX-027", "IBX-028"})
  default void receiveGivesContentToWhatAwaitsItAndChangesNothingElse() {
    Instant due = now().plusSeconds(100);
    inEachStage("")
        .forEach(
            (stage, key) -> {
              InboxMessage before = stored(key);

              inbox()
                  .receive(
                      InboundMessage.of(key, "second", "two")
                          .withHash(OTHER_HASH)
                          .withDueTime(due));

              InboxMessage after = stored(key);
              if (stage.awaitsContent()) {
                assertThat(facts(after))
                    .as("%s", stage)
                    .isEqualTo(
                        Arrays.asList(
                            InboxStatus.PROCESSING,
                            "second",
                            "two",
                            Arrays.toString(OTHER_HASH),
                            0,
                            1,
                            before.firstSeen(),
                            due,
                            null,
                            Map.of()));
              } else {
                assertThat(facts(after)).as("%s", stage).isEqualTo(facts(before));
              }
            });
  }

  @Test
  @Spec({"IBX-023", "IBX-024", "IBX-032"})
  default void aDueTimeThatComesWithTheContentHoldsWhateverTheMessageWasBefore()
      throws SQLException {
    Instant due = now().plusSeconds(100);
    for (InboxWayIn way : List.of(InboxWayIn.RECEIVE, InboxWayIn.ENQUEUE)) {
      for (InboxStage stage : InboxStage.values()) {
        if (stage.status == InboxStatus.DONE || (way.isReceive() && !stage.awaitsContent())) {
          continue;
        }
        InboxKey key = stage.reach(this, way + "-" + stage);
        way.bring(this, InboundMessage.of(key, "due", stage.name()).withDueTime(due));
        if (stage.status == InboxStatus.DEAD) {
          assertThat(inbox().replay(key, "ann")).as("%s", stage).isTrue();
        }
        assertThat(stored(key).dueTime()).as("%s %s", way, stage).isEqualTo(due);
      }
    }
    assertThat(claim(OTHER)).isEmpty();
    advance(Duration.ofSeconds(95));
    assertThat(claim(OTHER)).isEmpty();

    advance(Duration.ofSeconds(6));

    assertThat(claim(OTHER))
        .extracting(InboxMessage::payload)
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(
                    Stream.of(InboxStage.SEEN, InboxStage.BEGUN_BY_HAND),
                    Stream.of(InboxStage.values())
                        .filter(stage -> stage.status != InboxStatus.DONE))
                .map(InboxStage::name)
                .toList());
  }

  private Map<InboxStage, InboxKey> inEachStage(String prefix) {
    Map<InboxStage, InboxKey> all = new EnumMap<>(InboxStage.class);
    for (InboxStage stage : InboxStage.values()) {
      InboxKey key = stage.reach(this, prefix + stage);
      assertThat(status(key)).as("%s", stage).isEqualTo(stage.status);
      assertThat(stored(key).hasPayload()).as("%s", stage).isEqualTo(stage.hasContent);
      all.put(stage, key);
    }
    return all;
  }

  /** The message as it is stored in each stage that has content. */
  private static InboundMessage again(InboxKey key, byte[] hash) {
    return InboundMessage.of(key, InboxStage.TOPIC, InboxStage.PAYLOAD).withHash(hash);
  }

  /** All of a message but when it was last seen, comparable. */
  private static List<@Nullable Object> facts(InboxMessage message) {
    return Arrays.asList(
        message.status(),
        message.hasPayload() ? message.topic() : null,
        message.hasPayload() ? message.payload() : null,
        Arrays.toString(message.hash()),
        message.attempt(),
        message.contentVersion(),
        message.firstSeen(),
        message.dueTime(),
        message.lastError(),
        message.headers());
  }
}
