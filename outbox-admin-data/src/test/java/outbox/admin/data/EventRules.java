package outbox.admin.data;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.Bulk;
import outbox.EventEnvelope;
import outbox.admin.data.Moment.What;
import outbox.model.DeadCount;
import outbox.model.DeadLetterFilter;
import outbox.model.EventStatus;
import outbox.model.MessageId;

/** What one event tells, and what can be done with it. */
abstract class EventRules {

  abstract Workshop shop();

  @Test
  void anEventShowsItsPayloadOnlyIfThatIsAskedFor() {
    shop().pending("A");
    String id =
        shop().store(EventEnvelope.builder("A").payloadJson("{\"ä\":1}").header("h", "1").build());
    shop().pending("A");
    EventDetail hidden = find(id, false);
    assertThat(hidden.payload())
        .isEqualTo(new Payload(Payload.Kind.HIDDEN, null, null, hidden.payload().size()));
    assertThat(hidden.headers()).isEqualTo(Map.of("h", "1"));
    Payload shown = find(id, true).payload();
    assertThat(shown.kind()).isEqualTo(Payload.Kind.TEXT);
    assertThat(shown.text()).isEqualTo("{\"ä\":1}");
    assertThat(shown.size()).isEqualTo("{\"ä\":1}".getBytes(UTF_8).length);
    assertThat(shown).asString().doesNotContain("ä");
  }

  @Test
  void bytesStayBytesAndWhatWasClearedSaysSo() {
    byte[] bytes = {0, 1, (byte) 0xff};
    String binary = shop().store(EventEnvelope.builder("A").payloadBytes(bytes).build());
    assertThat(find(binary, true).payload().kind()).isEqualTo(Payload.Kind.BYTES);
    assertThat(find(binary, true).payload().bytes()).isEqualTo(bytes);
    assertThat(find(binary, true).payload().size()).isEqualTo(3);
    String cleared = shop().done("A");
    shop()
        .database()
        .execute(
            "UPDATE outbox_event SET payload_text = NULL, kept = 0 WHERE event_id = '"
                + cleared
                + "'");
    assertThat(find(cleared, true).payload().kind()).isEqualTo(Payload.Kind.CLEARED);
  }

  @Test
  void aPayloadThatIsInTheColumnOfVersion1OnlyIsShown() {
    List<String> ids = List.of(shop().done("A"), shop().done("A"));
    String json = shop().database().product().isInnoDb() ? "" : "JSON ";
    shop().database().execute("ALTER TABLE outbox_event ADD COLUMN payload JSON");
    try {
      for (String id : ids) {
        shop()
            .database()
            .execute(
                "UPDATE outbox_event SET payload_text = NULL, payload = %s'{\"old\":\"%s\"}'"
                        .formatted(json, id)
                    + " WHERE event_id = '"
                    + id
                    + "'");
      }
      for (String id : ids) {
        assertThat(find(id, true).payload().text())
            .isEqualToIgnoringWhitespace("{\"old\":\"" + id + "\"}");
      }
    } finally {
      shop().database().execute("ALTER TABLE outbox_event DROP COLUMN payload");
    }
  }

  @Test
  void thereIsNoEventOfAnIdThatNoneHas() {
    assertThat(shop().operated().events().find("nobody", true)).isEmpty();
    assertThat(shop().operated().events().find("", true)).isEmpty();
    assertThat(shop().operated().events().find("\0", true)).isEmpty();
    assertThat(shop().operated().events().find("x".repeat(10_000), true)).isEmpty();
  }

  @Test
  void theTimelineOfAnEventIsWhatItsRowRemembers() {
    String dead = shop().dead("A", "broken");
    assertThat(what(dead)).contains(What.STORED, What.DIED);
    shop().operated().events().deadLetters().replay(new MessageId(dead), "ann");
    assertThat(what(dead)).contains(What.STORED, What.REPLAYED).doesNotContain(What.DIED);
    assertThat(find(dead, false).timeline())
        .anySatisfy(
            moment -> {
              assertThat(moment.what()).isEqualTo(What.REPLAYED);
              assertThat(moment.detail()).isEqualTo("by ann");
            });
    assertThat(what(shop().leased("A"))).contains(What.LEASED_UNTIL);
    assertThat(what(shop().retried("A", "no route"))).contains(What.NEXT_TRY);
    assertThat(what(shop().done("A"))).contains(What.DONE);
    String discarded = shop().dead("A", "broken");
    shop()
        .operated()
        .events()
        .deadLetters()
        .discard(List.of(new MessageId(discarded)), "ann", "test data");
    assertThat(what(discarded)).contains(What.DISCARDED).doesNotContain(What.DONE);
    assertThat(find(discarded, false).error()).isEqualTo("discarded by ann: test data");
  }

  @Test
  void aTimelineIsInTheOrderOfTime() {
    Instant tomorrow = Instant.now().plus(Duration.ofDays(1));
    String id =
        shop()
            .store(
                EventEnvelope.builder("A")
                    .payloadJson("{}")
                    .dueAt(tomorrow)
                    .expiresAt(tomorrow.plusSeconds(60))
                    .build());
    assertThat(what(id)).containsSubsequence(What.STORED, What.DUE, What.EXPIRES);
  }

  @Test
  void deadLettersAreCountedAndReplayedByTheSameFilter() {
    shop().dead("A", "no route");
    shop().dead("A", "no route");
    String other = shop().dead("A", "broken");
    DeadLetterFilter filter = DeadLetterFilter.all().errorContains("route");
    assertThat(shop().operated().events().deadLetters().count(filter))
        .isEqualTo(new DeadCount(2, true));
    assertThat(shop().operated().events().deadLetters().replay(filter, Bulk.by("ann")))
        .isEqualTo(2);
    assertThat(
            shop().operated().events().list(EventQuery.of(EventView.DEAD)).items().stream()
                .map(EventRow::id))
        .containsExactly(other);
    assertThat(shop().wakes()).isPositive();
  }

  @Test
  void aDeferredEventIsNotTakenBeforeItsTime() {
    String id = shop().retried("A", "no route");
    assertThat(shop().operated().events().defer(List.of(id), Duration.ofHours(1))).isEqualTo(1);
    EventRow row = find(id, false).row();
    assertThat(row.availableAt()).isAfter(Instant.now().plus(Duration.ofMinutes(50)));
    assertThat(row.dueAt()).isEqualTo(row.availableAt());
    assertThat(row.status()).isEqualTo(EventStatus.RETRY);
  }

  @Test
  void aDeferredEventStaysWithItsHolderUntilThatGivesItBack() {
    String id = shop().leased("A");
    Instant lease = find(id, false).row().availableAt();
    assertThat(shop().operated().events().defer(List.of(id), Duration.ofHours(1))).isEqualTo(1);
    assertThat(find(id, false).row().availableAt()).isEqualTo(lease);
    shop().outbox().release(Workshop.OWNER, List.of(new MessageId(id)));
    EventRow row = find(id, false).row();
    assertThat(row.availableAt()).isAfter(Instant.now().plus(Duration.ofMinutes(50)));
  }

  @Test
  void aLeaseThatHasRunOutHoldsNothing() {
    String id = shop().taken(shop().pending("A"), Duration.ofNanos(1000));
    shop().operated().events().defer(List.of(id), Duration.ofHours(1));
    EventRow row = find(id, false).row();
    assertThat(row.availableAt()).isAfter(Instant.now().plus(Duration.ofMinutes(50)));
    assertThat(row.owner()).isNull();
    assertThat(row.leased()).isFalse();
  }

  @Test
  void aReleasedEventIsDueNowWhateverItWaitedFor() {
    String scheduled =
        shop()
            .store(
                EventEnvelope.builder("A")
                    .payloadJson("{}")
                    .dueAt(Instant.now().plus(Duration.ofDays(1)))
                    .build());
    String retried = shop().retried("A", "no route");
    String leased = shop().leased("A");
    List<String> ids = List.of(scheduled, retried, leased);
    assertThat(shop().operated().events().release(ids)).isEqualTo(3);
    assertThat(shop().wakes()).isEqualTo(1);
    assertThat(shop().outbox().claim(Workshop.OWNER, Duration.ofMinutes(1), 10))
        .extracting(message -> message.id().value())
        .containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  void whoLostALeaseByAReleaseCannotEndTheEvent() {
    String id = shop().leased("A");
    shop().operated().events().release(List.of(id));
    assertThat(shop().outbox().ack(Workshop.OWNER, List.of(new MessageId(id)))).isEmpty();
  }

  @Test
  void whatIsReleasedOrDeferredWithALeaseIsSuspectForItsNextHolder() {
    String released = shop().leased("A");
    String deferred = shop().taken(shop().pending("A"), Duration.ofNanos(1000));
    String untouched = shop().pending("A");
    String unheld = shop().pending("A");
    shop().operated().events().release(List.of(released, untouched));
    shop().operated().events().defer(List.of(deferred, unheld), Duration.ZERO);
    shop().operated().events().release(List.of(deferred));
    assertThat(shop().suspects(released, deferred, untouched, unheld))
        .containsExactlyInAnyOrder(released, deferred);
  }

  @Test
  void onlyTheEventsThatAreNamedAreDeferredOrReleased() {
    Instant tomorrow = Instant.now().plus(Duration.ofDays(1));
    EventEnvelope later = EventEnvelope.builder("A").payloadJson("{}").dueAt(tomorrow).build();
    String other = shop().store(later);
    EventRow before = find(other, false).row();
    String named = shop().pending("A");
    shop().operated().events().defer(List.of(named), Duration.ofHours(1));
    shop().operated().events().release(List.of(named));
    assertThat(find(other, false).row()).isEqualTo(before);
    assertThat(find(named, false).row().dueAt()).isNull();
  }

  @Test
  void whatHasEndedIsNeitherDeferredNorReleased() {
    List<String> ended = List.of(shop().done("A"), shop().dead("A", "broken"), "nobody", "\0", "");
    assertThat(shop().operated().events().defer(ended, Duration.ofHours(1))).isZero();
    assertThat(shop().operated().events().release(ended)).isZero();
    assertThat(shop().operated().events().release(List.of())).isZero();
    assertThat(shop().wakes()).isZero();
    assertThatExceptionOfType(InvalidQueryException.class)
        .isThrownBy(() -> shop().operated().events().defer(ended, Duration.ofMillis(-1)));
  }

  @Test
  void leasesAreShownByTheProcessThatHoldsThem() {
    String older = shop().leased("A");
    String sooner = shop().taken(shop().pending("B"), Duration.ofMinutes(1));
    shop().pending("A");
    List<NodeRow> nodes = shop().operated().events().nodes();
    assertThat(nodes)
        .singleElement()
        .satisfies(
            node -> {
              assertThat(node.owner()).isEqualTo("node-1.ABCDEFGHJK");
              assertThat(node.leases()).isEqualTo(2);
              assertThat(node.nextExpiry()).isEqualTo(find(sooner, false).row().availableAt());
              assertThat(node.oldest()).isEqualTo(find(older, false).row().createdAt());
            });
  }

  private List<What> what(String id) {
    return find(id, false).timeline().stream().map(Moment::what).toList();
  }

  private EventDetail find(String id, boolean payload) {
    return shop().operated().events().find(id, payload).orElseThrow();
  }
}
