package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;

/**
 * Some routes below a path, with a rule of their own who may ask.
 *
 * @param path where they are, below the context
 */
record Section(String path, Access access, Router router) {

  /** The rest of a path that is within this section. */
  Optional<String> below(String asked) {
    return asked.equals(path) || asked.startsWith(path + "/")
        ? Optional.of(asked.substring(path.length()))
        : Optional.empty();
  }

  Caller caller(HttpServletRequest request) {
    return access.identify(request).orElseThrow(Problem::unknownCaller);
  }
}
