package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import outbox.admin.AdminConfig;
import outbox.admin.AdminServer;
import outbox.admin.data.OperatedDatabase;

/**
 * Sixteen publishers and a table of completed rows, while no browser looks and while three browsers
 * have the dashboard open, in the same process: how much of the rate is left.
 */
final class DashboardOpen implements Scenario {
  private static final double LIMIT = 0.95;
  private static final int BROWSERS = 3;

  /** As often as the pages ask for news. */
  private static final Duration REFRESH = Duration.ofSeconds(3);

  private static final List<String> VIEWS =
      List.of("/overview", "?status=pending", "?status=processed", "?status=dead", "/nodes");

  @Override
  public String name() {
    return "dashboard";
  }

  @Override
  public void run(Lab lab, Results results) throws Exception {
    Tables tables = new Tables(lab.server());
    tables.recreate();
    tables.loadDone(lab.mode().pick(1_000_000, 60_000, 2_000));
    tables.vacuum();
    tables.checkpoint();
    Duration slice = Duration.ofMillis(lab.mode().pick(5_000, 1_000, 200));
    int rounds = lab.mode().pick(8, 2, 1);
    List<Usage> alone = new ArrayList<>();
    List<Usage> watched = new ArrayList<>();
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Contestant library = new Library(pool, event -> {}, Completion.KEPT)) {
      Publishers publishers = new Publishers(library, Lab.PUBLISHERS, true);
      publishers.publishFor(slice);
      for (int i = 0; i < rounds; i++) {
        alone.add(measure(lab, "no browser", publishers, slice));
        try (Audience audience = new Audience(pool)) {
          watched.add(measure(lab, "dashboard open", publishers, slice));
          audience.check();
        }
      }
    }
    report(results, alone, watched);
  }

  private static Usage measure(Lab lab, String label, Publishers publishers, Duration slice)
      throws Exception {
    Meter meter = Meter.start(lab.server());
    Usage usage = meter.stop(publishers.publishFor(slice));
    lab.say("%-16s %7.0f events/s %4.0f us CPU", label, usage.rate(), usage.cpuPerEvent());
    return usage;
  }

  private static void report(Results results, List<Usage> alone, List<Usage> watched) {
    Results.Table table =
        results.table("The dashboard open in 3 browsers, 16 publishers", "", "events/s");
    table.row("no browser", rate(alone));
    table.row("dashboard open", rate(watched));
    results.gate(
        Gate.atLeast(
            "dispatch with the dashboard open / without",
            Stats.medianRatio(watched, alone, Usage::rate),
            LIMIT));
  }

  private static String rate(List<Usage> usages) {
    return String.format(Locale.ROOT, "%,.0f", Stats.median(usages, Usage::rate));
  }

  /** The server of the dashboard, and those who have it open. */
  private static final class Audience implements AutoCloseable {
    private final AdminServer server;
    private final HttpClient client = HttpClient.newHttpClient();
    private final ScheduledExecutorService browsers = Executors.newScheduledThreadPool(BROWSERS);
    private final AtomicInteger answers = new AtomicInteger();
    private final AtomicReference<@Nullable String> trouble = new AtomicReference<>();

    Audience(HikariDataSource pool) {
      OperatedDatabase database = OperatedDatabase.builder("bench", pool).build();
      this.server =
          AdminServer.start(AdminConfig.builder(database).anonymousRead().build(), "127.0.0.1", 0);
      refresh();
      long period = REFRESH.toMillis();
      for (int i = 0; i < BROWSERS; i++) {
        Future<?> unused =
            browsers.scheduleAtFixedRate(
                this::refresh, i * period / BROWSERS, period, TimeUnit.MILLISECONDS);
      }
    }

    private void refresh() {
      for (String view : VIEWS) {
        URI uri = server.address().resolve(AdminConfig.DEFAULT_API_PATH.substring(1) + view);
        try {
          int status =
              client
                  .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                  .statusCode();
          if (status == 200) {
            answers.incrementAndGet();
          } else {
            trouble.set(view + " was answered with " + status);
          }
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        } catch (Exception e) {
          trouble.set(view + " failed: " + e);
        }
      }
    }

    /** A dashboard that does not answer costs nothing. */
    void check() {
      if (trouble.get() != null || answers.get() == 0) {
        throw new IllegalStateException(
            "the dashboard gave " + answers + " answers; " + trouble.get());
      }
    }

    @Override
    public void close() {
      browsers.shutdownNow();
      try {
        browsers.awaitTermination(1, TimeUnit.MINUTES);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      server.close();
    }
  }
}
