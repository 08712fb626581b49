package outbox.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Appends a line for each requirement of each passed test to the file named by the system property
 * {@value #RESULTS}; does nothing without it.
 */
public final class SpecRecorder implements TestWatcher {
  static final String RESULTS = "outbox.spec.results";

  public SpecRecorder() {}

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
        .forEach(id -> lines.add(id + "\t" + testClass.getName() + "\t" + test));
    append(Path.of(results), lines);
  }

  private static synchronized void append(Path file, List<String> lines) {
    try {
      Files.write(file, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
