package outbox.admin.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.groups.Tuple.tuple;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.MessageId;
import outbox.model.StepStatus;

/** What operators see of joins, and do with them. */
abstract class JoinRules {

  abstract Workshop shop();

  @Test
  void joinsAreListedFromTheLastOneOnByStatusAndKey() {
    JoinIdentifier first = start("a", 1);
    JoinIdentifier second = start("b", 1);
    JoinIdentifier cancelled = start("a", 1);
    shop().operated().joins().cancel(cancelled);
    assertThat(ids(JoinQuery.all())).containsExactly(cancelled, second, first);
    assertThat(ids(JoinQuery.all().status(JoinStatus.PENDING))).containsExactly(second, first);
    assertThat(ids(JoinQuery.all().groupingKey("a"))).containsExactly(cancelled, first);
    assertThat(ids(JoinQuery.all().groupingKey("a").status(JoinQuery.statusOf("cancelled"))))
        .containsExactly(cancelled);
    assertThat(ids(JoinQuery.all().groupingKey("' OR 1=1 --"))).isEmpty();
  }

  @Test
  void pagesMeetEveryJoinOnce() {
    for (int i = 0; i < 9; i++) {
      start("a", 1);
    }
    for (JoinQuery query : List.of(JoinQuery.all(), JoinQuery.all().groupingKey("a"))) {
      List<JoinIdentifier> walked = new ArrayList<>();
      PageRequest paging = new PageRequest(1, 4, null);
      Page<Join> page = list(query.paging(paging));
      page.items().forEach(join -> walked.add(join.id()));
      while (page.next() != null) {
        page = list(query.paging(paging.cursor(page.next())));
        page.items().forEach(join -> walked.add(join.id()));
      }
      assertThat(walked).hasSize(9).doesNotHaveDuplicates();
      assertThat(ids(query.paging(new PageRequest(2, 4, null)))).isEqualTo(walked.subList(4, 8));
    }
  }

  /** More of one key than a look covers, and the wanted one before them. */
  @Test
  void whatASearchByKeyDidNotCoverIsSaidAndReachedByTheNextPage() {
    JoinIdentifier wanted = start("a", 1);
    shop().operated().joins().cancel(start("a", 1));
    shop().database().execute("UPDATE outbox_join SET join_id = 'Z' WHERE status <> 0");
    for (char each : "abcdefghijklmno".toCharArray()) {
      shop()
          .database()
          .execute(
              "INSERT INTO outbox_join (join_id, grouping_key, expected_steps, status, created_at,"
                  + " last_updated_at) SELECT CONCAT(join_id, '"
                  + each
                  + "'), grouping_key, expected_steps, status, created_at, last_updated_at"
                  + " FROM outbox_join WHERE status <> 0");
    }
    JoinQuery query = JoinQuery.all().groupingKey("a").status(JoinStatus.PENDING);
    Page<Join> covered = list(query);
    assertThat(covered.items()).isEmpty();
    assertThat(covered.window()).isNotNull();
    List<JoinIdentifier> found = new ArrayList<>();
    for (String next = covered.next(); next != null; ) {
      Page<Join> page = list(query.paging(PageRequest.FIRST.cursor(next)));
      page.items().forEach(join -> found.add(join.id()));
      next = page.next();
    }
    assertThat(found).containsExactly(wanted);
  }

  @Test
  void aJoinShowsItsStepsThoseThatAreMissingFirst() {
    JoinIdentifier other = start("a", 2);
    shop().outbox().joins().attach(other, new MessageId(shop().pending("A")));
    shop().outbox().joins().enqueueJoinWait(other, true, "next", "{}", null, null);
    JoinIdentifier join = start("a", 4);
    String done = shop().pending("A");
    String failed = shop().pending("A");
    String missing = shop().pending("A");
    List<MessageId> steps =
        List.of(new MessageId(done), new MessageId(failed), new MessageId(missing));
    shop().outbox().joins().attachAll(join, steps);
    shop().outbox().joins().attach(other, new MessageId(missing));
    shop().taken(done);
    shop().outbox().ack(Workshop.OWNER, List.of(new MessageId(done)));
    shop().taken(failed);
    shop().outbox().fail(Workshop.OWNER, List.of(new MessageId(failed)), "broken");
    MessageId wait = shop().outbox().joins().enqueueJoinWait(join, true, "next", "{}", null, null);
    JoinDetail detail = shop().operated().joins().find(join).orElseThrow();
    assertThat(detail.join().completedSteps()).isEqualTo(1);
    assertThat(detail.members())
        .extracting(JoinDetail.Member::messageId, JoinDetail.Member::status)
        .containsExactly(
            tuple(missing, StepStatus.PENDING),
            tuple(done, StepStatus.COMPLETED),
            tuple(failed, StepStatus.FAILED));
    assertThat(detail.members().get(2).message())
        .isNotNull()
        .satisfies(message -> assertThat(message.errorSnippet()).isEqualTo("broken"));
    assertThat(detail.unattached()).isEqualTo(1);
    assertThat(detail.waits())
        .singleElement()
        .satisfies(each -> assertThat(each.messageId()).isEqualTo(wait.value()));
    assertThat(shop().operated().events().find(missing, false).orElseThrow().joins())
        .containsExactly(other.value(), join.value());
  }

  @Test
  void aJoinSaysWhichOfItsMessagesAreLeased() {
    JoinIdentifier join = start("a", 4);
    List<String> steps = new ArrayList<>();
    List<String> waits = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      steps.add(shop().pending("A"));
      shop().outbox().joins().attach(join, new MessageId(steps.get(i)));
      waits.add(
          shop().outbox().joins().enqueueJoinWait(join, true, "next", "{}", null, null).value());
    }
    shop().leaseTheFirst(steps);
    shop().leaseTheFirst(waits);
    JoinDetail detail = shop().operated().joins().find(join).orElseThrow();
    assertThat(detail.members())
        .filteredOn(member -> member.message() != null && member.message().leased())
        .extracting(JoinDetail.Member::messageId)
        .containsExactly(steps.get(0));
    assertThat(detail.waits())
        .filteredOn(wait -> wait.message() != null && wait.message().leased())
        .extracting(JoinDetail.Wait::messageId)
        .containsExactly(waits.get(0));
    assertThat(detail.waits()).extracting(JoinDetail.Wait::messageId).isEqualTo(waits);
    assertThat(detail.waits().get(2).message())
        .isNotNull()
        .satisfies(message -> assertThat(message.errorSnippet()).isEqualTo("no route"));
  }

  @Test
  void aStepWhoseMessageIsGoneIsStillAStep() {
    JoinIdentifier join = start("a", 1);
    String id = shop().pending("A");
    shop().outbox().joins().attach(join, new MessageId(id));
    shop().database().execute("DELETE FROM outbox_event");
    assertThat(shop().operated().joins().find(join).orElseThrow().members())
        .singleElement()
        .satisfies(member -> assertThat(member.message()).isNull());
  }

  @Test
  void aJoinIsCancelledOnce() {
    JoinIdentifier join = start("a", 1);
    assertThat(shop().operated().joins().cancel(join)).isTrue();
    assertThat(shop().operated().joins().cancel(join)).isFalse();
    assertThat(shop().operated().joins().find(join).orElseThrow().join().status())
        .isEqualTo(JoinStatus.CANCELLED);
    assertThatIllegalStateException()
        .isThrownBy(() -> shop().operated().joins().cancel(new JoinIdentifier("nobody")));
    assertThat(shop().operated().joins().find(new JoinIdentifier("nobody"))).isEmpty();
  }

  private JoinIdentifier start(String key, int steps) {
    return shop().outbox().joins().startJoin(key, steps, null, null);
  }

  private Page<Join> list(JoinQuery query) {
    return shop().operated().joins().list(query);
  }

  private List<JoinIdentifier> ids(JoinQuery query) {
    return list(query).items().stream().map(Join::id).toList();
  }
}
