package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;

/** This starter on the real classes of other lines, which the build puts into a folder each. */
class WrongBootTest {

  @ParameterizedTest
  @ValueSource(strings = {"2.7", "3.4", "3.5"})
  void anotherSpringBootIsRefusedByOneSentence(String line) throws Exception {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (URLClassLoader loader =
        new URLClassLoader(classPath(line), ClassLoader.getPlatformClassLoader())) {
      Thread.currentThread().setContextClassLoader(loader);
      Class<?> application = loader.loadClass(Application.class.getName());

      Throwable failure = catchThrowable(() -> application.getDeclaredMethod("start").invoke(null));

      assertThat(failure).isInstanceOf(InvocationTargetException.class);
      assertThat(failure.getCause())
          .asString()
          .startsWith(
              OutboxSetupException.class.getName()
                  + ": outbox-spring-boot-starter is for Spring Boot 4, and this application runs on"
                  + " Spring Boot "
                  + line
                  + ".");
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  /** That of the tests, with the other Spring in place of this one. */
  private static URL[] classPath(String line) throws Exception {
    List<Path> parts = new ArrayList<>();
    Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(part -> !part.matches(".*(springframework|slf4j|logback|log4j).*"))
        .map(Path::of)
        .forEach(parts::add);
    try (Stream<Path> jars = Files.list(Path.of("target/boot-" + line))) {
      jars.forEach(parts::add);
    }
    List<URL> urls = new ArrayList<>();
    for (Path part : parts) {
      urls.add(part.toUri().toURL());
    }
    return urls.toArray(new URL[0]);
  }

  /** Runs on the other one. */
  public static class Application {
    public static void start() {
      SpringApplication.run(Application.class, "--spring.main.web-application-type=none").close();
    }
  }
}
