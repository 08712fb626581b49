package outbox.admin;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Finds the route of a request. */
final class Router {
  private final List<Route> routes;

  Router(Collection<Route> routes) {
    this.routes =
        routes.stream().sorted(Comparator.comparingLong(Route::fixedParts).reversed()).toList();
  }

  List<Route> routes() {
    return routes;
  }

  /**
   * @throws Problem 404 if nothing has this path, 405 if something has but not by this method
   */
  Match find(String method, List<String> path) {
    String wanted = method.equals("HEAD") ? "GET" : method;
    for (Route route : routes) {
      var variables = route.method().equals(wanted) ? route.match(path) : null;
      if (variables != null && variables.isPresent()) {
        return new Match(route, variables.get());
      }
    }
    String allowed = allowed(path);
    if (allowed.isEmpty()) {
      throw Problem.notFound("There is nothing at this address; see openapi.json.");
    }
    throw new Problem(405, "Method not allowed", "This address answers to: " + allowed + ".", null);
  }

  /** The methods that a path answers to, with commas between; empty if it is unknown. */
  String allowed(List<String> path) {
    TreeSet<String> methods =
        routes.stream()
            .filter(route -> route.match(path).isPresent())
            .map(Route::method)
            .collect(Collectors.toCollection(TreeSet::new));
    if (methods.isEmpty()) {
      return "";
    }
    if (methods.contains("GET")) {
      methods.add("HEAD");
    }
    methods.add("OPTIONS");
    return String.join(", ", methods);
  }

  record Match(Route route, Map<String, String> path) {}
}
