package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;

/**
 * Tells who sent a request. For what neither tokens nor the container's roles can say; given to
 * {@link AdminConfig.Builder#access}. Thread-safe.
 */
@FunctionalInterface
public interface Access {

  /** The sender, or empty if this way of telling does not know them. */
  Optional<Caller> identify(HttpServletRequest request);
}
