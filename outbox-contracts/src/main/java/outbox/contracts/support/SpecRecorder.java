package outbox.contracts.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Appends a line for each requirement of each passed test to the file named by the system property
 * {@value #RESULTS}, with the databases that were open while it ran; does nothing without it.
 */
public final class SpecRecorder implements BeforeEachCallback, TestWatcher {
  static final String RESULTS = "outbox.spec.results";

  private static final List<String> OPEN = new ArrayList<>();
  private static final Set<String> USED = new TreeSet<>();

  public SpecRecorder() {}

  /** Call it for each database that a test is given, with the name of its product. */
  public static synchronized void opened(String product) {
    OPEN.add(product);
    USED.add(product);
  }

  /** The opposite of {@link #opened}. */
  public static synchronized void closed(String product) {
    OPEN.remove(product);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    synchronized (SpecRecorder.class) {
      USED.clear();
      USED.addAll(OPEN);
    }
  }

  @Override
  public void testSuccessful(ExtensionContext context) {
    @Nullable String results = System.getProperty(RESULTS);
    if (results == null) {
      return;
    }
    List<String> lines = new ArrayList<>();
    Class<?> testClass = context.getRequiredTestClass();
    String test = context.getRequiredTestMethod().getName();
    Stream.of(context.getRequiredTestMethod(), testClass)
        .flatMap(element -> AnnotationSupport.findAnnotation(element, Spec.class).stream())
        .flatMap(spec -> Stream.of(spec.value()))
        .distinct()
        .map(id -> String.join("\t", id, testClass.getName(), test, databases()))
        .forEach(lines::add);
    append(Path.of(results), lines);
  }

  private static synchronized String databases() {
    return String.join(",", USED);
  }

  private static synchronized void append(Path file, List<String> lines) {
    try {
      Files.write(file, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
