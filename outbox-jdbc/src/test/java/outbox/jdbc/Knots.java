package outbox.jdbc;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toCollection;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Finds classes that can only be understood together, because each depends on all others. */
final class Knots {
  private Knots() {}

  /**
   * Sets of two or more classes that depend on each other, directly or not, nested ones counted in.
   */
  static List<Set<String>> of(JavaClasses classes) {
    Map<String, Set<String>> reached = new HashMap<>();
    Map<String, Set<String>> direct = dependencies(classes);
    direct.keySet().forEach(name -> reached.put(name, reachedFrom(name, direct)));
    return direct.keySet().stream()
        .map(name -> knotOf(name, reached))
        .filter(knot -> knot.size() > 1)
        .distinct()
        .toList();
  }

  private static Set<String> knotOf(String name, Map<String, Set<String>> reached) {
    return of(name, reached).stream()
        .filter(other -> of(other, reached).contains(name))
        .collect(toCollection(TreeSet::new));
  }

  private static Map<String, Set<String>> dependencies(JavaClasses classes) {
    Map<String, Set<String>> direct = new HashMap<>();
    classes.forEach(type -> direct.put(outermost(type), new TreeSet<>()));
    for (JavaClass type : classes) {
      type.getDirectDependenciesFromSelf().stream()
          .map(dependency -> outermost(dependency.getTargetClass()))
          .filter(direct::containsKey)
          .forEach(of(outermost(type), direct)::add);
    }
    return direct;
  }

  private static Set<String> reachedFrom(String start, Map<String, Set<String>> direct) {
    Set<String> reached = new TreeSet<>();
    Deque<String> next = new ArrayDeque<>(of(start, direct));
    while (!next.isEmpty()) {
      String name = next.remove();
      if (reached.add(name)) {
        next.addAll(of(name, direct));
      }
    }
    return reached;
  }

  private static Set<String> of(String name, Map<String, Set<String>> sets) {
    return requireNonNull(sets.get(name), name);
  }

  static Map<String, Set<String>> topLevelClassesByPackage(JavaClasses classes) {
    return classes.stream()
        .filter(type -> !type.getSimpleName().equals("package-info"))
        .collect(
            groupingBy(
                JavaClass::getPackageName, mapping(Knots::outermost, toCollection(TreeSet::new))));
  }

  private static String outermost(JavaClass type) {
    return type.getBaseComponentType().getName().replaceFirst("\\$.*", "");
  }
}
