package outbox.admin.data;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.query.Row;

/** What a row tells of a message's life: its last state, and the times that it kept. */
final class Timeline {
  private static final int DONE = 1;
  private static final int DEAD = 3;
  private static final String DISCARDED = "discarded by ";

  private final List<Moment> moments = new ArrayList<>();
  private final Row row;
  private final int status;
  private final int attempts;
  private final @Nullable String owner;
  private final @Nullable String error;

  private Timeline(Row row) throws SQLException {
    this.row = row;
    this.status = row.integer("status");
    this.attempts = row.integer("attempts");
    this.owner = row.text("owner_token");
    this.error = row.text("last_error");
  }

  static List<Moment> ofEvent(Row row) throws SQLException {
    Timeline timeline = new Timeline(row);
    timeline.add(row.instant("occurred_at"), Moment.What.OCCURRED, null);
    timeline.add(row.instant("expires_at"), Moment.What.EXPIRES, null);
    return timeline.finished();
  }

  static List<Moment> ofInbox(Row row) throws SQLException {
    Timeline timeline = new Timeline(row);
    if (row.instant("seen_again_at") != null) {
      timeline.add(InboxRows.lastSeen(row), Moment.What.SEEN_AGAIN, null);
    }
    return timeline.finished();
  }

  private List<Moment> finished() throws SQLException {
    add(row.instant("stored_at"), Moment.What.STORED, null);
    add(row.instant("due_at"), Moment.What.DUE, null);
    add(row.instant("replayed_at"), Moment.What.REPLAYED, by(row.text("replayed_by")));
    if (status == DONE) {
      ended(row.instant("done_at"), row.text("processed_by"));
    } else if (status == DEAD) {
      add(row.instant("available_at"), Moment.What.DIED, deliveries());
    } else {
      live(row.instant("available_at"));
    }
    moments.sort(Comparator.comparing(Moment::at).thenComparing(Moment::what));
    return List.copyOf(moments);
  }

  private void ended(@Nullable Instant at, @Nullable String by) {
    if (error != null && error.startsWith(DISCARDED)) {
      add(at, Moment.What.DISCARDED, error);
    } else {
      add(at, Moment.What.DONE, by(by));
    }
  }

  private void live(@Nullable Instant availableAt) throws SQLException {
    if (row.integer("leased") == 1) {
      add(availableAt, Moment.What.LEASED_UNTIL, by(owner));
    } else if (attempts > 0) {
      add(availableAt, Moment.What.NEXT_TRY, deliveries());
    }
  }

  private String deliveries() {
    return attempts == 1 ? "1 failed delivery" : attempts + " failed deliveries";
  }

  private static @Nullable String by(@Nullable String name) {
    return name == null ? null : "by " + name;
  }

  private void add(@Nullable Instant at, Moment.What what, @Nullable String detail) {
    if (at != null) {
      moments.add(new Moment(at, what, detail));
    }
  }
}
