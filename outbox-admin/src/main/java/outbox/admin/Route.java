package outbox.admin;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One thing that can be asked for.
 *
 * @param template the path below the API's own; parts in braces are variable
 * @param parameters what the query may name
 * @param fields what the body may name
 */
record Route(
    String method,
    String template,
    Role role,
    Set<String> parameters,
    Set<String> fields,
    Call.Handler handler) {

  static Route get(String template, Set<String> parameters, Call.Handler handler) {
    return new Route("GET", template, Role.READ, parameters, Set.of(), handler);
  }

  static Route post(
      String template, Set<String> parameters, Set<String> fields, Call.Handler handler) {
    return new Route("POST", template, Role.ADMIN, parameters, fields, handler);
  }

  boolean changes() {
    return method.equals("POST");
  }

  /** How many parts of the path are fixed: of two routes that match, the one with more is meant. */
  long fixedParts() {
    return Query.segments(template).stream().filter(part -> !isVariable(part)).count();
  }

  /** The variable parts if the path is of this route. */
  Optional<Map<String, String>> match(List<String> path) {
    List<String> parts = Query.segments(template);
    if (parts.size() != path.size()) {
      return Optional.empty();
    }
    Map<String, String> variables = new HashMap<>();
    for (int i = 0; i < parts.size(); i++) {
      String part = parts.get(i);
      if (isVariable(part)) {
        variables.put(part.substring(1, part.length() - 1), path.get(i));
      } else if (!part.equals(path.get(i))) {
        return Optional.empty();
      }
    }
    return Optional.of(variables);
  }

  private static boolean isVariable(String part) {
    return part.startsWith("{");
  }
}
