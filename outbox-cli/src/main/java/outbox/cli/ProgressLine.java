package outbox.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.function.Consumer;
import outbox.jdbc.schema.MigrationProgress;

/** A line for each step, and one a second while rows are filled in. */
final class ProgressLine implements Consumer<MigrationProgress> {
  private static final Duration BETWEEN_LINES = Duration.ofSeconds(1);

  private final PrintWriter out;
  private long printed = System.nanoTime();

  ProgressLine(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void accept(MigrationProgress progress) {
    boolean ended = progress.rows() == progress.estimatedRows();
    if (progress.estimatedRows() == 0) {
      out.println(progress.step());
    } else if (ended || System.nanoTime() - printed > BETWEEN_LINES.toNanos()) {
      printed = System.nanoTime();
      out.printf(
          "%s: %,d of about %,d rows, %,d a second%n",
          progress.step(), progress.rows(), progress.estimatedRows(), progress.rowsPerSecond());
    }
  }
}
