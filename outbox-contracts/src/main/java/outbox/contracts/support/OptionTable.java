package outbox.contracts.support;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The options of builders, each with an experiment that sets the option and observes its effect.
 * The test of a table runs every experiment and calls {@link #assertComplete}, which fails if a
 * builder has an option without an experiment. Used by the tests of this project. Not thread-safe.
 *
 * @param <T> the test class that has the experiments
 */
public final class OptionTable<T> {
  private final Map<Class<?>, Map<String, Row<T>>> tables = new LinkedHashMap<>();
  private @Nullable Class<?> builder;

  public OptionTable() {}

  /** Starts the part of a builder; its options follow. */
  public OptionTable<T> of(Class<?> builder) {
    this.builder = builder;
    tables.put(builder, new LinkedHashMap<>());
    return this;
  }

  /**
   * Adds an option of the current builder.
   *
   * @param signature the method's name and the simple names of its parameter types, such as {@code
   *     "retries(String, Retries)"}
   */
  public OptionTable<T> option(String signature, Experiment<T> experiment) {
    Class<?> current = requireNonNull(builder, "call of(builder) first");
    Row<T> row = new Row<>(nameOf(current) + "." + signature, experiment);
    assertThat(requireNonNull(tables.get(current)).put(signature, row)).as("%s", row).isNull();
    return this;
  }

  public Stream<Row<T>> rows() {
    return tables.values().stream().map(Map::values).flatMap(Collection::stream);
  }

  public Set<Class<?>> builders() {
    return tables.keySet();
  }

  /** Fails if an option has no experiment, or an experiment has no option. */
  public void assertComplete() {
    tables.forEach(
        (type, rows) ->
            assertThat(rows.keySet())
                .as("options of %s with an experiment", nameOf(type))
                .containsExactlyInAnyOrderElementsOf(options(type)));
  }

  /** An option is a public method that returns its own type, as setters that chain do. */
  private static Set<String> options(Class<?> type) {
    return Stream.of(type.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> method.getReturnType() != Object.class)
        .filter(method -> method.getReturnType().isAssignableFrom(type))
        .map(OptionTable::signature)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String signature(Method method) {
    return Stream.of(method.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(Collectors.joining(", ", method.getName() + "(", ")"));
  }

  private static String nameOf(Class<?> type) {
    @Nullable Class<?> outer = type.getEnclosingClass();
    return outer == null ? type.getSimpleName() : nameOf(outer) + "." + type.getSimpleName();
  }

  /**
   * One option and its experiment.
   *
   * @param option what the test's report calls it
   */
  public record Row<T>(String option, Experiment<T> experiment) {
    @Override
    public String toString() {
      return option;
    }
  }

  /** Sets an option and observes its effect. */
  @FunctionalInterface
  public interface Experiment<T> {
    void run(T test) throws Exception;
  }
}
