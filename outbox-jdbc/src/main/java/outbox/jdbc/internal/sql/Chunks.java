package outbox.jdbc.internal.sql;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Cuts a collection, less its duplicates, into lists that fit into one statement each. */
public final class Chunks {
  private Chunks() {}

  public static <T> List<List<T>> of(Collection<T> all, int size) {
    List<T> distinct = new ArrayList<>(all instanceof Set ? all : new LinkedHashSet<>(all));
    List<List<T>> chunks = new ArrayList<>();
    for (int from = 0; from < distinct.size(); from += size) {
      chunks.add(distinct.subList(from, Math.min(distinct.size() - from, size) + from));
    }
    return chunks;
  }
}
