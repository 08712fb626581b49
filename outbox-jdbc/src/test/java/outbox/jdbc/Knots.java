package outbox.jdbc;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toCollection;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Finds the top-level classes of which each needs all others, directly or by way of another: the
 * strongly connected sets of their dependencies, by Tarjan's algorithm.
 */
final class Knots {
  private final Map<String, NavigableSet<String>> dependencies;
  private final Map<String, Integer> numbers = new HashMap<>();
  private final Deque<String> open = new ArrayDeque<>();
  private final List<Set<String>> knots = new ArrayList<>();

  private Knots(Map<String, NavigableSet<String>> dependencies) {
    this.dependencies = dependencies;
  }

  /** The sets of two classes or more. */
  static List<Set<String>> of(JavaClasses classes) {
    Map<String, NavigableSet<String>> dependencies = new TreeMap<>();
    for (JavaClass each : classes) {
      NavigableSet<String> targets =
          dependencies.computeIfAbsent(topLevel(each), name -> new TreeSet<>());
      each.getDirectDependenciesFromSelf().stream()
          .map(dependency -> dependency.getTargetClass().getBaseComponentType())
          .filter(target -> classes.contain(target.getName()))
          .map(Knots::topLevel)
          .forEach(targets::add);
    }
    Knots search = new Knots(dependencies);
    dependencies.keySet().forEach(search::visit);
    return search.knots;
  }

  static Map<String, Set<String>> topLevelClassesByPackage(JavaClasses classes) {
    return classes.stream()
        .filter(type -> !type.getSimpleName().equals("package-info"))
        .collect(
            groupingBy(
                JavaClass::getPackageName, mapping(Knots::topLevel, toCollection(TreeSet::new))));
  }

  private static String topLevel(JavaClass type) {
    return type.getName().replaceFirst("\\$.*", "");
  }

  /** Returns the lowest number that is reached from here, among those of unfinished sets. */
  private int visit(String name) {
    Integer known = numbers.get(name);
    if (known != null) {
      return open.contains(name) ? known : Integer.MAX_VALUE;
    }
    int number = numbers.size();
    numbers.put(name, number);
    open.push(name);
    int lowest = number;
    for (String target : dependencies.getOrDefault(name, new TreeSet<>())) {
      lowest = Math.min(lowest, visit(target));
    }
    if (lowest == number) {
      close(name);
    }
    return lowest;
  }

  private void close(String first) {
    NavigableSet<String> knot = new TreeSet<>();
    String name;
    do {
      name = open.pop();
      knot.add(name);
    } while (!name.equals(first));
    if (knot.size() > 1) {
      knots.add(knot);
    }
  }
}
