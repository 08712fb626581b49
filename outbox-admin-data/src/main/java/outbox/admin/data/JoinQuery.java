package outbox.admin.data;

import org.jspecify.annotations.Nullable;
import outbox.model.JoinStatus;

/** Which joins to list, started last first; null is no condition. Immutable. */
public record JoinQuery(
    @Nullable JoinStatus status, @Nullable String groupingKey, PageRequest paging) {

  /** Every join, from the first page on. */
  public static JoinQuery all() {
    return new JoinQuery(null, null, PageRequest.FIRST);
  }

  /** Returns this query for one status; null for all. */
  public JoinQuery status(@Nullable JoinStatus value) {
    return new JoinQuery(value, groupingKey, paging);
  }

  /**
   * The status of this name in any case.
   *
   * @throws InvalidQueryException if there is none
   */
  public static JoinStatus statusOf(String name) {
    return Choice.of(JoinStatus.values(), "status", name);
  }

  /** Returns this query for one grouping key; null for all. */
  public JoinQuery groupingKey(@Nullable String value) {
    return new JoinQuery(status, value, paging);
  }

  /** Returns this query for one page. */
  public JoinQuery paging(PageRequest value) {
    return new JoinQuery(status, groupingKey, value);
  }
}
