package outbox.chaos.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.chaos.account.Books.JoinRow;
import outbox.chaos.account.Books.Row;
import outbox.chaos.fault.FaultKind;
import outbox.chaos.fault.Strike;
import outbox.chaos.ledger.Entry;
import outbox.chaos.ledger.Fact;

/** Books that balance pass, and each way in which they may not is reported by its name. */
class AccountTest {
  private static final long NOON = 1_000_000;
  private static final int COMPLETED = 1;

  private final List<Entry> entries = new ArrayList<>();
  private final List<Strike> strikes = new ArrayList<>();
  private final Books books = new Books(entries);

  @BeforeEach
  void enterOneEventOfEachKind() {
    row("p", "plain", "");
    call("alpha", "plain", "p", "", NOON, NOON + 10);
    row("s", "several", "");
    call("alpha", "several.first", "s", "", NOON, NOON + 10);
    call("alpha", "several.second", "s", "", NOON + 10, NOON + 20);
    row("e", "effect", "");
    call("beta", "effect", "e", "", NOON, NOON + 10);
    books.effects.put("e", 1);
    row("j", "join", "2+0");
    books.joins.add(new JoinRow("j", 2, 2, 0, COMPLETED));
    call("beta", "joined", "c", "j", NOON, NOON + 10);
    row("q", "queue", "");
    grant("alpha", "A", "q", NOON);
    call("alpha", "queue", "q", "A", NOON, NOON + 10);
    end(Fact.ACKED, "A", "q", NOON + 20);
    books.inbox.put("m", COMPLETED);
    books.effects.put("m", 1);
    call("gamma", "inbox", "m", "", NOON, NOON + 10);
  }

  @Test
  void booksThatBalancePass() {
    assertThat(violations()).isEmpty();
  }

  @Test
  void committedEventThatNoListenerHandledIsLost() {
    row("p2", "plain", "");

    assertThat(violations()).singleElement().asString().startsWith("LOST: plain p2");
  }

  @Test
  void eventThatOnlyOneOfItsListenersHandledIsLost() {
    row("s2", "several", "");
    call("alpha", "several.first", "s2", "", NOON, NOON + 10);

    assertThat(violations()).singleElement().asString().startsWith("LOST: several s2");
  }

  @Test
  void handledEventWithoutARowIsAGhost() {
    call("alpha", "plain", "never", "", NOON, NOON + 10);

    assertThat(violations()).singleElement().asString().startsWith("GHOST: plain never");
  }

  @Test
  void commitThatReturnedWithoutARowHasVanished() {
    entries.add(new Entry(NOON, "alpha", Fact.COMMITTED, "plain", "gone", ""));

    assertThat(violations()).singleElement().asString().startsWith("VANISHED");
  }

  @Test
  void deadEventIsReportedUnlessItMustDie() {
    books.unfinished.put("p", Books.DEAD);
    row("h", "halt", "");
    books.unfinished.put("h", Books.DEAD);

    assertThat(violations()).singleElement().asString().startsWith("DEAD: plain p");
  }

  @Test
  void poisonThatIsDoneHasSurvived() {
    row("h", "halt", "");
    call("alpha", "halt", "h", "", NOON, NOON + 10);

    assertThat(violations()).singleElement().asString().startsWith("SURVIVED: halt h");
  }

  @Test
  void repetitionWithoutAFaultIsReported() {
    call("beta", "plain", "p", "", NOON + 9000, NOON + 9010);

    assertThat(violations()).singleElement().asString().startsWith("TWICE: plain p");
  }

  @Test
  void repetitionIsExplainedByAFaultOfItsNodeOnly() {
    call("beta", "plain", "p", "", NOON + 9000, NOON + 9010);
    strike(FaultKind.KILL, "alpha", NOON + 5);

    assertThat(violations()).isEmpty();
    strikes.clear();
    strike(FaultKind.KILL, "beta", NOON + 5);
    assertThat(violations()).hasSize(1);
  }

  @Test
  void callThatThrewMayBeRepeated() {
    row("p2", "plain", "");
    entries.add(new Entry(NOON, "alpha", Fact.START, "plain", "p2", ""));
    entries.add(new Entry(NOON + 5, "alpha", Fact.THREW, "plain", "p2", ""));
    call("alpha", "plain", "p2", "", NOON + 100, NOON + 110);

    assertThat(violations()).isEmpty();
  }

  @Test
  void faultThatHurtsNoLeaseExplainsNothing() {
    call("beta", "plain", "p", "", NOON + 9000, NOON + 9010);
    strike(FaultKind.OLD_SNAPSHOT, Strike.DATABASE, NOON + 5);

    assertThat(violations()).hasSize(1);
  }

  @Test
  void callsAtOnceNeedAFaultThatKeepsFromRenewing() {
    row("p2", "plain", "");
    call("alpha", "plain", "p2", "", NOON, NOON + 8000);
    call("beta", "plain", "p2", "", NOON + 5000, NOON + 5010);
    strike(FaultKind.CUT, "alpha", NOON + 5);

    assertThat(violations()).singleElement().asString().startsWith("TWICE AT ONCE: plain p2");
    strike(FaultKind.PAUSE, "alpha", NOON + 5);
    assertThat(violations()).isEmpty();
  }

  @Test
  void callsAtOnceAreReportedEvenIfTheFirstIsInterrupted() {
    row("p2", "plain", "");
    entries.add(new Entry(NOON, "alpha", Fact.START, "plain", "p2", ""));
    call("beta", "plain", "p2", "", NOON + 200, NOON + 900);
    entries.add(new Entry(NOON + 400, "alpha", Fact.THREW, "plain", "p2", ""));

    assertThat(violations()).singleElement().asString().startsWith("TWICE AT ONCE: plain p2");
  }

  @Test
  void callThatEndedWithItsProcessIsNoLongerRunningWhenTheNextLifeRepeatsIt() {
    row("p2", "plain", "");
    entries.add(new Entry(NOON, "alpha", Fact.START, "plain", "p2", ""));
    strike(FaultKind.KILL, "alpha", NOON + 5);
    call("alpha", "plain", "p2", "", NOON + 4000, NOON + 4010);

    assertThat(violations()).isEmpty();
  }

  @Test
  void clockOfTheDatabaseExplainsARepetitionAndThatOfANodeDoesNot() {
    call("beta", "plain", "p", "", NOON + 9000, NOON + 9010);
    strike(FaultKind.NODE_CLOCK, "alpha", NOON + 5);
    assertThat(violations()).singleElement().asString().startsWith("TWICE: plain p");

    strike(FaultKind.CLOCK, Strike.DATABASE, NOON + 5);

    assertThat(violations()).isEmpty();
  }

  @Test
  void stallExplainsARepetitionOfItsNodeAndOneOfTheDatabaseThoseOfAll() {
    call("beta", "plain", "p", "", NOON + 9000, NOON + 9010);
    stall("beta", NOON + 2000);
    assertThat(violations()).singleElement().asString().startsWith("TWICE: plain p");

    stall("alpha", NOON + 2000);
    assertThat(violations()).isEmpty();

    entries.removeIf(entry -> entry.fact() == Fact.STALLED);
    stall(Strike.DATABASE, NOON + 2000);
    assertThat(violations()).isEmpty();
  }

  @Test
  void effectMustBeThereOnce() {
    books.effects.put("e", 2);
    books.effects.remove("m");

    assertThat(violations()).hasSize(2).allMatch(violation -> violation.startsWith("EFFECT"));
  }

  @Test
  void keyMustHaveOneEvent() {
    row("k1", "keyed", "key");
    row("k2", "keyed", "key");
    call("alpha", "keyed", "k1", "key", NOON, NOON + 10);
    call("alpha", "keyed", "k2", "key", NOON, NOON + 10);

    assertThat(violations()).singleElement().asString().startsWith("KEY: key");
  }

  @Test
  void joinMustCountExactlyAndGoOnOnce() {
    books.joins.set(0, new JoinRow("j", 2, 1, 0, 0));
    call("beta", "joined", "c2", "j", NOON, NOON + 10);

    assertThat(violations()).hasSize(2).allMatch(violation -> violation.startsWith("JOIN"));
  }

  @Test
  void messageIsHandedOutOnlyAfterItsLease() {
    row("q2", "queue", "");
    grant("alpha", "A", "q2", NOON);
    grant("beta", "B", "q2", NOON + 1000);
    call("beta", "queue", "q2", "B", NOON + 1000, NOON + 1010);

    assertThat(violations()).singleElement().asString().startsWith("FENCE");
  }

  @Test
  void movedClockOfTheDatabaseEndsALeaseEarlyAndTurnsTheOrderOfTheLeases() {
    row("q2", "queue", "");
    grant("alpha", "A", "q2", NOON);
    grant("beta", "B", "q2", NOON + 1000, NOON + 2000);
    call("beta", "queue", "q2", "B", NOON + 1000, NOON + 1010);
    end(Fact.ACKED, "B", "q2", NOON + 1020);
    strike(FaultKind.CLOCK, Strike.DATABASE, NOON + 500);

    assertThat(violations()).isEmpty();
  }

  @Test
  void aClaimThatReturnsWhenTheClockIsBackHasALeaseOfTheMovedClock() {
    row("q2", "queue", "");
    strike(FaultKind.CLOCK, Strike.DATABASE, NOON + 500);
    grant("alpha", "A", "q2", NOON + 598, NOON + 9000);
    grant("beta", "B", "q2", NOON + 4000);
    call("beta", "queue", "q2", "B", NOON + 4000, NOON + 4010);
    end(Fact.ACKED, "B", "q2", NOON + 4020);

    assertThat(violations()).isEmpty();
  }

  @Test
  void workerThatLostAMessageCannotEndItOrGiveItBack() {
    row("q2", "queue", "");
    grant("alpha", "A", "q2", NOON);
    grant("beta", "B", "q2", NOON + 3100);
    call("beta", "queue", "q2", "B", NOON + 3100, NOON + 3110);
    assertThat(violations()).isEmpty();

    end(Fact.RELEASED, "A", "q2", NOON + 4000);

    assertThat(violations()).singleElement().asString().startsWith("FENCE");
    entries.remove(entries.size() - 1);
    end(Fact.ACKED, "A", "q2", NOON + 4000);
    assertThat(violations()).singleElement().asString().startsWith("FENCE");
  }

  private List<String> violations() {
    return Account.check(books, strikes).violations();
  }

  private void row(String id, String topic, String detail) {
    books.business.put(id, new Row(topic, detail));
  }

  private void call(String node, String listener, String id, String detail, long start, long end) {
    entries.add(new Entry(start, node, Fact.START, listener, id, detail));
    entries.add(new Entry(end, node, Fact.END, listener, id, detail));
  }

  private void grant(String node, String owner, String id, long from) {
    grant(node, owner, id, from, from + 3000);
  }

  private void grant(String node, String owner, String id, long from, long until) {
    String times = from + " " + until;
    entries.add(new Entry(from + 5, node, Fact.CLAIMED, "queue", id, owner + " " + times));
  }

  private void end(Fact fact, String owner, String id, long called) {
    entries.add(new Entry(called, "alpha", fact, "queue", id, owner + " " + called));
  }

  private void stall(String node, long at) {
    entries.add(new Entry(at, node, Fact.STALLED, "", "", "1000"));
  }

  private void strike(FaultKind kind, String target, long at) {
    Strike strike = new Strike(kind, target, at);
    strike.overAfter(Duration.ofMillis(100));
    strikes.add(strike);
  }
}
