package outbox.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The values of a statement's parameters by name. */
public interface Values {

  Values text(String name, @Nullable String value);

  Values number(String name, long value);

  /** In microseconds. */
  Values duration(String name, Duration value);

  Values instant(String name, @Nullable Instant value);

  /** The list that is named {@code ids}, which must not be empty. */
  Values ids(Collection<String> ids);
}
