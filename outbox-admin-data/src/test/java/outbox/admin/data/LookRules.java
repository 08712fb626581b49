package outbox.admin.data;

import static java.util.Comparator.comparing;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static outbox.admin.data.Line.NOW;
import static outbox.admin.data.Line.ticks;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.jdbc.internal.query.BoundedQueries;
import outbox.jdbc.internal.query.Row;
import outbox.jdbc.internal.sql.Parameters;

/**
 * What the statements behind lists and figures read: the next rows of their order, a bounded
 * number. The clock stands still, many rows are of one instant, and what is expected is computed
 * from them in Java.
 */
abstract class LookRules {
  private static final int ALL = 1_000;
  private static final int ROWS = 80;
  private static final int SOME = 8;
  private static final List<Integer> BOUNDS = List.of(1, 3, 8, ALL);

  private final List<Line> lines = new ArrayList<>();

  abstract Workshop shop();

  @BeforeEach
  void fill() {
    Random random = new Random(7);
    lines.clear();
    for (int i = 0; i < ROWS; i++) {
      lines.add(Line.any(random, i * 37 % ROWS));
    }
    String[] inserts =
        lines.stream().map(line -> line.insert(shop().database().product())).toArray(String[]::new);
    shop().database().execute(inserts);
  }

  @Test
  void aListOfPendingReadsTheNextOnesInTheOrderOfTheirTurn() {
    Ordered turn = turn();
    for (int status : List.of(-1, 0, 2)) {
      for (int held : List.of(-1, 0, 1)) {
        lists(
            "by_turn",
            turn.thatAre(Line::isUsers),
            line ->
                (status < 0 || line.status() == status)
                    && (held < 0 || (held == 1) == (line.owner() != null)),
            values -> values.number("status", status).number("held", held));
      }
    }
    places("place_by_turn", turn.thatAre(Line::isUsers), values -> {});
  }

  @Test
  void aListOfTheDeadReadsTheNextOnesInTheOrderOfTheirStoring() {
    for (Period period : Period.SOME) {
      Ordered read = death().thatAre(line -> period.endsAfter(line.createdAt()));
      lists("by_death", read, line -> period.has(line.availableAt()), period);
      places("place_by_death", read, period);
    }
  }

  @Test
  void aListOfCompletedReadsTheNextOnesInTheOrderOfTheirEnd() {
    for (int kept : List.of(0, 1)) {
      for (Period period : Period.SOME) {
        Consumer<Parameters> bound = period.andThen(values -> values.number("kept", kept));
        Ordered read =
            completion(kept).thatAre(line -> line.isUsers() && period.has(line.completedAt()));
        lists("by_completion", read, line -> true, bound);
        lists(
            "by_completion",
            read,
            line -> line.error() != null,
            bound.andThen(values -> values.text("error", Line.ERROR)));
        places("place_by_completion", read, bound);
        for (int skip = 0; skip <= read.all.size(); skip++) {
          assertThat(place("jump_by_completion", read, null, skip, bound))
              .isEqualTo(read.place(null, skip));
        }
      }
    }
  }

  @Test
  void aListOfAllReadsTheNextOnesInTheOrderOfTheirIds() {
    Ordered all =
        new Ordered(lines, comparing(Line::id).reversed(), Line::createdAt)
            .thatAre(line -> line.isUsers() || line.isDead());
    for (int status : List.of(-1, 1, 2, 3)) {
      for (Period period : Period.SOME) {
        lists(
            "by_id",
            all,
            line -> (status < 0 || line.status() == status) && period.has(line.createdAt()),
            period.andThen(values -> values.number("status", status)));
      }
    }
    places("place_by_id", all, values -> {});
  }

  @Test
  void anEventIsLeasedUntilTheInstantOfItsEnd() {
    for (Line line : lines) {
      assertThat(query("one", v -> v.text("id", line.id()), row -> row.integer("leased")))
          .containsExactly(line.isLeased() ? 1 : 0);
    }
  }

  @Test
  void aStretchCountsTheNextOnesInTheOrderOfTheirTurn() {
    Ordered turn = turn();
    List<@Nullable Line> starts = turn.starts();
    starts.addAll(turn.all);
    for (Line after : starts) {
      for (int limit : BOUNDS) {
        List<Line> read = turn.behind(after).stream().limit(limit).toList();
        List<Line> users = read.stream().filter(Line::isUsers).toList();
        assertThat(
                query(
                    "stretch",
                    turn.from(after).andThen(values -> values.number("limit", limit)),
                    row -> figures(row, "due", "leased", "busy", "looked_at", "oldest")))
            .containsExactly(
                List.of(
                    count(users, Line::isDue),
                    count(users, Line::isLeased),
                    count(read, line -> line.isDue() || line.owner() != null),
                    (long) read.size(),
                    earliest(users, Line::waitsSince)));
      }
    }
    places("stretch_end", turn, values -> {});
  }

  @Test
  void countsGoAsFarAsTheyMay() {
    for (int limit : BOUNDS) {
      assertThat(query("due_count", v -> v.number("limit", limit), row -> row.integer("due")))
          .containsExactly((int) Math.min(limit, count(lines, Line::isDue)));
      assertThat(query("dead_count", v -> v.number("limit", limit), row -> row.integer("dead")))
          .containsExactly((int) Math.min(limit, count(lines, Line::isDead)));
    }
  }

  @Test
  void thoseThatEndedLastAreCountedWithinTheWindow() {
    for (Duration window : List.of(ticks(1), ticks(2), ticks(9))) {
      for (int from = -2; from <= 2; from++) {
        Instant first = NOW.plus(ticks(from));
        List<Line> newest =
            completion(1)
                .thatAre(line -> line.completedAt().isAfter(NOW.minus(window)))
                .thatAre(line -> !line.completedAt().isBefore(first))
                .all;
        int limit = from == -2 ? ALL : newest.size();
        assertThat(
                query(
                    "completed",
                    v -> v.number("limit", limit).duration("window", window),
                    row -> figures(row, "looked_at", "completed", "since")))
            .containsExactly(
                List.of(
                    (long) newest.size(),
                    count(newest, Line::isUsers),
                    earliest(newest, Line::doneAt)));
      }
    }
  }

  @Test
  void leasesAreThoseThatEndNext() {
    Ordered later = turn().thatAre(line -> !line.isDue());
    for (int limit : BOUNDS) {
      Map<String, List<Line>> held =
          later.all.stream()
              .limit(limit)
              .filter(line -> line.isLeased() && line.isUsers())
              .collect(Collectors.groupingBy(line -> requireNonNull(line.owner())));
      List<List<Object>> expected = new ArrayList<>();
      held.forEach(
          (owner, some) ->
              expected.add(
                  List.of(
                      owner,
                      (long) some.size(),
                      earliest(some, Line::createdAt),
                      earliest(some, Line::availableAt))));
      assertThat(
              query(
                  "leases",
                  values -> values.number("limit", limit),
                  row -> figures(row, "owner_token", "leases", "oldest", "next_expiry")))
          .containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  @Test
  void talliesCountThoseDueLongestThoseDueNextAndThoseThatDiedLast() {
    for (Duration window : List.of(ticks(1), ticks(9))) {
      for (int limit : BOUNDS) {
        List<Line> due = turn().thatAre(Line::isDue).first(limit);
        List<Line> later = turn().thatAre(line -> !line.isDue()).first(limit);
        List<Line> dead = death().first(limit);
        assertThat(
                query(
                    "tallies",
                    values ->
                        values
                            .number("limit", limit)
                            .number("old_failure", Line.OLD_FAILURE)
                            .duration("window", window),
                    LookRules::tally))
            .containsExactlyInAnyOrderElementsOf(
                Stream.of(due, later, dead)
                    .flatMap(List::stream)
                    .map(Line::group)
                    .distinct()
                    .map(group -> tally(group, due, later, dead, NOW.minus(window)))
                    .toList());
      }
    }
  }

  private static List<Object> tally(Row row) throws SQLException {
    List<Object> tally = new ArrayList<>();
    tally.add(row.text("topic") + " of " + row.text("tenant"));
    tally.addAll(
        figures(
            row,
            "due",
            "later",
            "leased",
            "failed_pending",
            "old_failures",
            "dead",
            "died",
            "oldest"));
    return tally;
  }

  private static List<Object> tally(
      String group, List<Line> due, List<Line> later, List<Line> dead, Instant since) {
    Predicate<Line> ours = line -> line.group().equals(group);
    List<Line> live = Stream.concat(due.stream(), later.stream()).filter(ours).toList();
    return List.of(
        group,
        count(due, ours),
        count(later, ours),
        count(later, ours.and(line -> line.owner() != null)),
        count(live, line -> line.attempts() > 0),
        count(live, Line::isOldFailure),
        count(dead, ours),
        count(dead, ours.and(line -> line.availableAt().isAfter(since))),
        earliest(live, Line::waitsSince));
  }

  @Test
  void aLeaseHoldsAnEventThatIsDeferredUntilTheInstantOfItsEnd() {
    Instant later = NOW.plusSeconds(60);
    List<String> ids = lines.stream().map(Line::id).toList();
    queries()
        .change(
            session ->
                session.update("defer", v -> v.ids(ids).duration("delay", Duration.ofSeconds(60))));

    for (Line line : lines) {
      boolean moved = line.isPending() && !line.isLeased();
      assertThat(
              query(
                  "one",
                  values -> values.text("id", line.id()),
                  row -> figures(row, "due_at", "available_at", "owner_token")))
          .as("%s", line)
          .containsExactly(
              List.of(
                  known(line.isPending() ? later : line.dueAt()),
                  moved ? later : line.availableAt(),
                  known(moved ? null : line.owner())));
      assertThat(shop().started(line.id()))
          .as("%s", line)
          .isEqualTo(moved && line.owner() != null ? 1 : 0);
    }
  }

  @Test
  void aJoinShowsTheFirstOfItsStepsAndWaits() {
    List<String> inserts = new ArrayList<>();
    inserts.add(join("j1", "a"));
    for (Line line : lines) {
      String ids = "'j1', '" + line.id() + "'";
      inserts.add(
          "INSERT INTO outbox_join_member (join_id, message_id, status) VALUES (%s, %d)"
              .formatted(ids, line.attempts() % 3));
      inserts.add("INSERT INTO outbox_join_wait (join_id, message_id) VALUES (%s)".formatted(ids));
    }
    shop().database().execute(inserts.toArray(String[]::new));

    Comparator<Line> byId = comparing(Line::id);
    Comparator<Line> missingFirst = comparing(line -> line.attempts() % 3);
    for (int limit : BOUNDS) {
      Consumer<Parameters> bound = values -> values.text("id", "j1").number("limit", limit);
      assertThat(ofJoins("members", bound, LookRules::message))
          .isEqualTo(messages(missingFirst.thenComparing(byId), limit));
      assertThat(ofJoins("waits", bound, LookRules::message)).isEqualTo(messages(byId, limit));
    }
  }

  private static String message(Row row) throws SQLException {
    return row.required("message_id") + " leased " + row.integer("leased");
  }

  private List<String> messages(Comparator<Line> order, int limit) {
    return lines.stream()
        .sorted(order)
        .limit(limit)
        .map(line -> line.id() + " leased " + (line.isLeased() ? 1 : 0))
        .toList();
  }

  @Test
  void aListOfJoinsReadsTheNextOnesInTheOrderOfTheirIds() {
    List<String> ids = List.of("j1", "j5", "j3", "j8", "j2", "j6", "j9");
    ids.forEach(id -> shop().database().execute(join(id, "a"), join(id + "x", "b")));
    List<String> all =
        ids.stream()
            .flatMap(id -> Stream.of(id, id + "x"))
            .sorted(Comparator.reverseOrder())
            .toList();
    listsJoins("by_id", all);
    listsJoins("by_key", all.stream().filter(id -> id.endsWith("x")).toList());

    shop()
        .database()
        .execute(
            "INSERT INTO outbox_join_member (join_id, message_id) SELECT join_id, 'm' FROM"
                + " outbox_join");
    for (int limit : BOUNDS) {
      assertThat(
              ofJoins(
                  "joins_of",
                  values -> values.text("id", "m").number("limit", limit),
                  row -> row.required("join_id")))
          .isEqualTo(all.stream().sorted().limit(limit).toList());
    }
  }

  private void listsJoins(String statement, List<String> all) {
    for (int start = 0; start <= all.size(); start++) {
      List<String> behind = all.subList(start, all.size());
      String after = start == 0 ? null : all.get(start - 1);
      Consumer<Parameters> from =
          values -> values.text("key", "b").number("status", -1).text("after_id", after);
      for (int bound : BOUNDS) {
        assertThat(joins(statement, from, bound, ALL)).isEqualTo(first(bound, behind));
        assertThat(joins(statement, from, ALL, bound)).isEqualTo(first(bound, behind));
      }
      for (int skip = 0; skip <= behind.size(); skip++) {
        int further = skip;
        assertThat(
                first(
                    1,
                    ofJoins(
                        "place_" + statement,
                        from.andThen(values -> values.number("skip", further)),
                        row -> row.required("event_id"))))
            .isEqualTo(first(1, behind.subList(skip, behind.size())));
      }
    }
  }

  private List<String> joins(String statement, Consumer<Parameters> from, int look, int limit) {
    return ofJoins(
        statement,
        from.andThen(values -> values.number("look", look).number("limit", limit)),
        row -> row.required("join_id"));
  }

  private static <T> List<T> first(int limit, List<T> all) {
    return all.subList(0, Math.min(limit, all.size()));
  }

  private static String join(String id, String key) {
    return "INSERT INTO outbox_join (join_id, grouping_key, expected_steps) VALUES ('%s', '%s', 1)"
        .formatted(id, key);
  }

  private <T> List<T> ofJoins(String statement, Consumer<Parameters> values, Row.Reader<T> reader) {
    return stopped(Tables.joinQueries(setup()))
        .look(session -> session.query(statement, values.andThen(LookRules::anythingElse), reader));
  }

  /** Each page from each place: so many rows are looked at, and so many of those are shown. */
  private void lists(
      String statement, Ordered order, Predicate<Line> shown, Consumer<Parameters> bound) {
    for (Line after : order.starts()) {
      for (int look : BOUNDS) {
        for (int limit : List.of(2, ALL)) {
          assertThat(
                  query(
                      statement,
                      order
                          .from(after)
                          .andThen(bound)
                          .andThen(v -> v.number("look", look).number("limit", limit)),
                      row -> row.required("event_id") + " leased " + row.integer("leased")))
              .as("%s behind %s: %s of %s", statement, after, limit, look)
              .isEqualTo(
                  order.behind(after).stream()
                      .limit(look)
                      .filter(shown)
                      .limit(limit)
                      .map(line -> line.id() + " leased " + (line.isLeased() ? 1 : 0))
                      .toList());
        }
      }
    }
  }

  private void places(String statement, Ordered order, Consumer<Parameters> bound) {
    for (Line after : order.starts()) {
      for (int skip : List.of(0, 1, 4, order.behind(after).size())) {
        assertThat(place(statement, order, after, skip, bound))
            .as("%s behind %s: %s further", statement, after, skip)
            .isEqualTo(order.place(after, skip));
      }
    }
  }

  private List<Place> place(
      String statement, Ordered order, @Nullable Line after, int skip, Consumer<Parameters> bound) {
    return query(
            statement,
            order.from(after).andThen(bound).andThen(v -> v.number("skip", skip)),
            row -> new Place(0, row.requiredInstant("place_at"), row.required("event_id")))
        .stream()
        .limit(1)
        .toList();
  }

  private <T> List<T> query(String statement, Consumer<Parameters> values, Row.Reader<T> reader) {
    return queries()
        .look(session -> session.query(statement, values.andThen(LookRules::anythingElse), reader));
  }

  /** No filter, from the beginning on; what is bound before this stays. */
  private static void anythingElse(Parameters values) {
    values.text("internal", Line.INTERNAL).number("snippet", 10).number("status", -1);
    values.text("after_id", null).instant("after_at", null);
    for (String filter : List.of("topic", "tenant", "correlation", "error", "owner")) {
      values.text(filter, null);
    }
    Period.ALWAYS.accept(values);
  }

  private BoundedQueries queries() {
    return stopped(Tables.outboxQueries(setup()));
  }

  private OperatedDatabase.Builder setup() {
    return OperatedDatabase.builder("orders", shop().database().dataSource());
  }

  private BoundedQueries stopped(BoundedQueries.Builder queries) {
    return queries.name("now", shop().database().product().literal(NOW)).build();
  }

  private Ordered turn() {
    return new Ordered(
            lines, comparing(Line::availableAt).thenComparing(Line::id), Line::availableAt)
        .thatAre(Line::isPending);
  }

  private Ordered death() {
    return new Ordered(
            lines, comparing(Line::createdAt).thenComparing(Line::id).reversed(), Line::createdAt)
        .thatAre(Line::isDead);
  }

  private Ordered completion(int kept) {
    return new Ordered(
            lines,
            comparing(Line::completedAt).thenComparing(Line::id).reversed(),
            Line::completedAt)
        .thatAre(line -> line.status() == 1 && line.kept() == kept);
  }

  private static long count(List<Line> some, Predicate<Line> condition) {
    return some.stream().filter(condition).count();
  }

  private static Object earliest(List<Line> some, Function<Line, @Nullable Instant> time) {
    return known(
        some.stream()
            .map(time)
            .filter(Objects::nonNull)
            .min(Comparator.naturalOrder())
            .orElse(null));
  }

  /** Times as instants, texts and numbers as they are. */
  private static List<Object> figures(Row row, String... columns) throws SQLException {
    List<Object> figures = new ArrayList<>();
    for (String column : columns) {
      switch (column) {
        case "oldest", "since", "next_expiry", "due_at", "available_at" ->
            figures.add(known(row.instant(column)));
        case "owner_token" -> figures.add(known(row.text(column)));
        default -> figures.add((long) row.integer(column));
      }
    }
    return figures;
  }

  private static Object known(@Nullable Object value) {
    return value == null ? "null" : value;
  }

  /** Rows in an order, and the time that is a row's place in it. */
  private record Ordered(List<Line> all, Function<Line, Instant> at) {
    Ordered(List<Line> lines, Comparator<Line> order, Function<Line, Instant> at) {
      this(lines.stream().sorted(order).toList(), at);
    }

    Ordered thatAre(Predicate<Line> condition) {
      return new Ordered(all.stream().filter(condition).toList(), at);
    }

    List<Line> first(int limit) {
      return all.stream().limit(limit).toList();
    }

    /** The beginning, and some of the rows. */
    List<@Nullable Line> starts() {
      List<@Nullable Line> starts = new ArrayList<>();
      starts.add(null);
      for (int i = 0; i < all.size(); i += Math.max(1, all.size() / SOME)) {
        starts.add(all.get(i));
      }
      return starts;
    }

    List<Line> behind(@Nullable Line after) {
      return all.subList(after == null ? 0 : all.indexOf(after) + 1, all.size());
    }

    List<Place> place(@Nullable Line after, int skip) {
      return behind(after).stream()
          .skip(skip)
          .limit(1)
          .map(line -> new Place(0, at.apply(line), line.id()))
          .toList();
    }

    Consumer<Parameters> from(@Nullable Line after) {
      return values ->
          values
              .instant("after_at", after == null ? null : at.apply(after))
              .text("after_id", after == null ? null : after.id());
    }
  }

  private record Period(@Nullable Instant from, @Nullable Instant to)
      implements Consumer<Parameters> {
    static final Period ALWAYS = new Period(null, null);
    static final List<Period> SOME =
        List.of(
            ALWAYS,
            new Period(NOW, null),
            new Period(null, NOW),
            new Period(NOW, NOW.plus(ticks(1))));

    boolean has(Instant instant) {
      return (from == null || !instant.isBefore(from)) && endsAfter(instant);
    }

    boolean endsAfter(Instant instant) {
      return to == null || instant.isBefore(to);
    }

    @Override
    public void accept(Parameters values) {
      values.instant("from", from).instant("to", to);
    }
  }
}
