package outbox.admin.data;

import org.jspecify.annotations.Nullable;

/**
 * Which page of a list.
 *
 * @param page its number from 1 on. With a cursor it is only handed back; without one, pages are
 *     skipped, as far as {@link #MAX_SKIPPED} rows
 * @param pageSize rows of a page, 1 to {@link #MAX_SIZE}
 * @param cursor what {@link Page#next} or {@link Page#previous} said; null to begin
 */
public record PageRequest(int page, int pageSize, @Nullable String cursor) {
  /** Rows of a page unless asked otherwise: {@value}. */
  public static final int DEFAULT_SIZE = 50;

  /** Rows of a page at the most: {@value}. */
  public static final int MAX_SIZE = 200;

  /** Rows that a page number may skip: {@value}. Further pages are reached by cursor. */
  public static final int MAX_SKIPPED = 200_000;

  /** Characters of a cursor at the most: {@value}, enough for the longest ids in any script. */
  public static final int MAX_CURSOR = 4_000;

  /** The first page of the usual size. */
  public static final PageRequest FIRST = new PageRequest(1, DEFAULT_SIZE, null);

  /**
   * Checks the numbers.
   *
   * @throws InvalidQueryException if one is out of bounds
   */
  public PageRequest {
    if (pageSize < 1 || pageSize > MAX_SIZE) {
      throw new InvalidQueryException(
          "pageSize", "pageSize (" + pageSize + ") must be from 1 to " + MAX_SIZE);
    }
    if (page < 1) {
      throw new InvalidQueryException("page", "page (" + page + ") must be at least 1");
    }
    if (cursor == null && (page - 1L) * pageSize > MAX_SKIPPED) {
      throw new InvalidQueryException(
          "page",
          "page ("
              + page
              + ") of "
              + pageSize
              + " rows skips more than "
              + MAX_SKIPPED
              + "; narrow the filter, or continue by the cursor of the page before");
    }
  }

  /** Returns this request with another number of rows on a page. */
  public PageRequest pageSize(int value) {
    return new PageRequest(page, value, cursor);
  }

  /** Returns this request for the page with this number. */
  public PageRequest page(int value) {
    return new PageRequest(value, pageSize, cursor);
  }

  /** The page that a cursor stands for. */
  public PageRequest cursor(@Nullable String value) {
    return new PageRequest(page, pageSize, value);
  }

  int skipped() {
    return cursor == null ? (page - 1) * pageSize : 0;
  }
}
