package outbox.admin.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.contracts.support.Spec;

/** How one gets from page to page. */
abstract class PagingRules {
  private static final int SIZE = 4;

  abstract Workshop shop();

  @ParameterizedTest
  @EnumSource
  @Spec("IDEM-52")
  void cursorsMeetEveryEventOnceAndLeadBack(EventView view) {
    fill();
    EventQuery query = EventQuery.of(view);
    List<String> all = ids(page(query, PageRequest.FIRST));
    List<Page<EventRow>> pages = walk(query);
    assertThat(pages.stream().flatMap(page -> ids(page).stream()).toList()).isEqualTo(all);
    assertThat(pages).hasSizeGreaterThan(1);
    Page<EventRow> last = pages.get(pages.size() - 1);
    List<List<String>> back = new ArrayList<>();
    for (String cursor = last.previous(); cursor != null; ) {
      Page<EventRow> page = page(query, paging(cursor));
      back.add(ids(page));
      cursor = page.previous();
    }
    Collections.reverse(back);
    List<List<String>> forth = pages.stream().map(PagingRules::ids).toList();
    assertThat(back).isEqualTo(forth.subList(0, forth.size() - 1));
  }

  @ParameterizedTest
  @EnumSource
  @Spec("IDEM-52")
  void cursorsMeetEveryEventOfOneInstantOnce(EventView view) {
    fill();
    shop()
        .database()
        .execute(
            "UPDATE outbox_event SET created_at = " + shop().minutesAgo(20),
            "UPDATE outbox_event SET available_at = "
                + shop().minutesAgo(10)
                + " WHERE owner_token IS NULL AND status <> 2",
            "UPDATE outbox_event SET available_at = "
                + shop().minutesAgo(-10)
                + " WHERE owner_token IS NOT NULL OR status = 2",
            "UPDATE outbox_event SET done_at = "
                + shop().minutesAgo(5)
                + " WHERE done_at IS NOT NULL");
    EventQuery query = EventQuery.of(view);
    List<String> all = ids(page(query, PageRequest.FIRST));
    List<Page<EventRow>> pages = walk(query);
    assertThat(pages.stream().flatMap(page -> ids(page).stream()).toList())
        .doesNotHaveDuplicates()
        .isEqualTo(all);
    for (int number = 1; number <= pages.size(); number++) {
      assertThat(ids(page(query, new PageRequest(number, SIZE, null))))
          .isEqualTo(ids(pages.get(number - 1)));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Spec("IDEM-52")
  void cursorsGoByTimeWhateverTheIdsAre(EventView view) {
    fill();
    List<String> ids = ids(page(EventQuery.of(EventView.ALL), PageRequest.FIRST));
    for (int i = 0; i < ids.size(); i++) {
      shop()
          .database()
          .execute(
              "UPDATE outbox_event SET created_at = "
                  + shop().minutesAgo(60 - i)
                  + ", done_at = CASE WHEN done_at IS NOT NULL THEN "
                  + shop().minutesAgo(60 - i)
                  + " END WHERE event_id = '"
                  + ids.get(i)
                  + "'");
    }
    EventQuery query = EventQuery.of(view);
    List<String> all = ids(page(query, PageRequest.FIRST));
    assertThat(walk(query).stream().flatMap(page -> ids(page).stream()).toList())
        .doesNotHaveDuplicates()
        .isEqualTo(all);
  }

  @ParameterizedTest
  @EnumSource
  @Spec("IDEM-52")
  void aPageNumberIsThePageThatCursorsLeadTo(EventView view) {
    fill();
    EventQuery query = EventQuery.of(view);
    List<Page<EventRow>> pages = walk(query);
    for (int number = 1; number <= pages.size(); number++) {
      Page<EventRow> page = page(query, new PageRequest(number, SIZE, null));
      assertThat(ids(page)).isEqualTo(ids(pages.get(number - 1)));
      assertThat(page.page()).isEqualTo(number);
      assertThat(page.next() == null).isEqualTo(number == pages.size());
    }
    assertThat(page(query, new PageRequest(pages.size() + 1, SIZE, null)).items()).isEmpty();
  }

  @Test
  void aFilteredListHasPagesToo() {
    fill();
    EventQuery query = EventQuery.of(EventView.ALL).topic("A");
    List<String> all = ids(page(query, PageRequest.FIRST));
    assertThat(walk(query).stream().flatMap(page -> ids(page).stream()).toList()).isEqualTo(all);
    assertThat(ids(page(query, new PageRequest(2, SIZE, null))))
        .isEqualTo(all.subList(SIZE, 2 * SIZE));
  }

  @Test
  void whatIsStoredMeanwhileMovesNoPage() {
    fill();
    EventQuery query = EventQuery.of(EventView.DEAD);
    Page<EventRow> first = page(query, paging(null));
    List<String> second = ids(page(query, paging(first.next())));
    shop().dead("A", "later");
    assertThat(ids(page(query, paging(first.next())))).isEqualTo(second);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "x", "%", "OTs7eA", "MDtub3RpbWU7eA", "MDsyMDI2LTAxLTAxVDAwOjAwOjAwWjt4LE"})
  void aCursorOfNoListIsRefused(String cursor) {
    assertThatExceptionOfType(InvalidQueryException.class)
        .isThrownBy(() -> page(EventQuery.of(EventView.DEAD), paging(cursor)))
        .withMessageStartingWith("cursor")
        .satisfies(e -> assertThat(e.field()).isEqualTo("cursor"));
  }

  @Test
  void numbersOutOfBoundsAreRefusedByName() {
    assertThatExceptionOfType(InvalidQueryException.class)
        .isThrownBy(() -> new PageRequest(1, 201, null))
        .withMessage("pageSize (201) must be from 1 to 200");
    assertThatExceptionOfType(InvalidQueryException.class)
        .isThrownBy(() -> new PageRequest(0, 50, null))
        .withMessage("page (0) must be at least 1");
    assertThatExceptionOfType(InvalidQueryException.class)
        .isThrownBy(() -> new PageRequest(Integer.MAX_VALUE, 200, null))
        .withMessageContaining("continue by the cursor");
    assertThatExceptionOfType(InvalidQueryException.class)
        .isThrownBy(() -> EventView.of("gone"))
        .withMessage(
            "status (gone) must be one of pending, failed, processed, dead, leased, scheduled,"
                + " all");
    assertThatExceptionOfType(InvalidQueryException.class)
        .isThrownBy(
            () -> page(EventQuery.of(EventView.ALL).topic("A"), new PageRequest(100, 50, null)))
        .withMessageContaining("filtered");
    assertThatExceptionOfType(InvalidQueryException.class)
        .isThrownBy(() -> page(EventQuery.of(EventView.ALL).topic("a\0"), PageRequest.FIRST))
        .satisfies(e -> assertThat(e.field()).isEqualTo("topic"));
  }

  private void fill() {
    for (int i = 0; i < 6; i++) {
      shop().pending("A");
      shop().retried("B", "no route");
      shop().leased("A");
      shop().done("A");
      shop().dead("A", "broken");
    }
    shop().database().execute("UPDATE outbox_event SET kept = 0 WHERE status = 1");
    shop().done("B");
  }

  private List<Page<EventRow>> walk(EventQuery query) {
    List<Page<EventRow>> pages = new ArrayList<>();
    Page<EventRow> page = page(query, paging(null));
    pages.add(page);
    while (page.next() != null) {
      page = page(query, paging(page.next()));
      pages.add(page);
    }
    return pages;
  }

  private static PageRequest paging(@Nullable String cursor) {
    return new PageRequest(1, SIZE, cursor);
  }

  private Page<EventRow> page(EventQuery query, PageRequest paging) {
    return shop().operated().events().list(query.paging(paging));
  }

  private static List<String> ids(Page<EventRow> page) {
    return page.items().stream().map(EventRow::id).toList();
  }
}
