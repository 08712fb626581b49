package outbox.jdbc.schema;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.Consumer;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.schema.MigrationMeter;

/** Reports the progress of a migration to a listener and to the log. */
final class ProgressMeter implements MigrationMeter {
  private static final Logger LOG = System.getLogger("outbox.jdbc.ProgressMeter");
  private static final Duration BETWEEN_LOGS = Duration.ofSeconds(5);
  private static final Duration BETWEEN_CALLS = Duration.ofMillis(200);

  private final TableName table;
  private final Consumer<MigrationProgress> listener;
  private String step = "";
  private long began;
  private long logged;
  private long told;

  ProgressMeter(TableName table, Consumer<MigrationProgress> listener) {
    this.table = table;
    this.listener = listener;
  }

  @Override
  public void begin(String step) {
    this.step = step;
    this.began = System.nanoTime();
    this.logged = began;
    this.told = began;
    tell(MigrationProgress.of(step), true);
  }

  @Override
  public void rows(long done, long estimated) {
    long now = System.nanoTime();
    boolean log = now - logged > BETWEEN_LOGS.toNanos();
    if (log || now - told > BETWEEN_CALLS.toNanos()) {
      logged = log ? now : logged;
      told = now;
      tell(progress(now, done, estimated), log);
    }
  }

  @Override
  public void end(long done) {
    tell(progress(System.nanoTime(), done, done), true);
  }

  private MigrationProgress progress(long now, long done, long estimated) {
    double seconds = Math.max(1, now - began) / 1e9;
    return new MigrationProgress(step, done, Math.max(done, estimated), (long) (done / seconds));
  }

  private void tell(MigrationProgress progress, boolean log) {
    if (log) {
      LOG.log(Level.INFO, "schema of {0}: {1}", table, progress);
    }
    listener.accept(progress);
  }
}
