import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.MethodSelector;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs tests again and again in one process until one fails: {@code Repeat TIMES MINUTES LOAD
 * TEST...}. It stops after TIMES runs or MINUTES minutes, whichever comes first; 0 means no limit.
 * LOAD threads keep the processors busy meanwhile.
 */
public final class Repeat {
  private Repeat() {}

  public static void main(String[] args) throws ClassNotFoundException {
    int times = Integer.parseInt(args[0]);
    Duration limit = Duration.ofMinutes(Integer.parseInt(args[1]));
    keepBusy(Integer.parseInt(args[2]));
    LauncherDiscoveryRequest tests = tests(List.of(args).subList(3, args.length));
    Launcher launcher = LauncherFactory.create();
    Instant begin = Instant.now();
    long passed = 0;
    int run = 0;
    while ((times == 0 || run < times)
        && (limit.isZero() || Duration.between(begin, Instant.now()).compareTo(limit) < 0)) {
      run++;
      TestExecutionSummary summary = run(launcher, tests);
      passed += summary.getTestsSucceededCount();
      System.out.printf(
          "run %d: %d passed, %d failed, %d ms%n",
          run,
          summary.getTestsSucceededCount(),
          summary.getTotalFailureCount(),
          summary.getTimeFinished() - summary.getTimeStarted());
      if (summary.getTotalFailureCount() > 0) {
        summary.printFailuresTo(new PrintWriter(System.out, true), 100);
        System.exit(1);
      }
      if (summary.getTestsSucceededCount() == 0) {
        System.out.println("no test was run: is it named as in its source, and not skipped?");
        System.exit(2);
      }
    }
    System.out.printf(
        "%d runs in %d s: %d passed, 0 failed%n",
        run, Duration.between(begin, Instant.now()).toSeconds(), passed);
    System.exit(0);
  }

  private static TestExecutionSummary run(Launcher launcher, LauncherDiscoveryRequest tests) {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    launcher.execute(tests, listener);
    return listener.getSummary();
  }

  private static LauncherDiscoveryRequest tests(List<String> names) throws ClassNotFoundException {
    List<DiscoverySelector> selectors = new ArrayList<>();
    for (String name : names) {
      int hash = name.indexOf('#');
      if (hash < 0) {
        selectors.add(selectClass(Class.forName(name)));
      } else {
        selectors.addAll(methods(Class.forName(name.substring(0, hash)), name.substring(hash + 1)));
      }
    }
    return LauncherDiscoveryRequestBuilder.request().selectors(selectors).build();
  }

  /** A name stands for all its overloads, whatever parameters they have. */
  private static List<MethodSelector> methods(Class<?> type, String name) {
    return ReflectionSupport.findMethods(
            type, method -> method.getName().equals(name), HierarchyTraversalMode.TOP_DOWN)
        .stream()
        .map(method -> selectMethod(type, method))
        .toList();
  }

  private static void keepBusy(int threads) {
    for (int i = 0; i < threads; i++) {
      Thread thread =
          new Thread(
              () -> {
                while (true) {
                  Thread.onSpinWait();
                }
              },
              "load-" + i);
      thread.setDaemon(true);
      thread.start();
    }
  }
}
