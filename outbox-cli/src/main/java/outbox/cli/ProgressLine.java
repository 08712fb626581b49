package outbox.cli;

import java.io.PrintWriter;
import outbox.jdbc.MigrationListener;
import outbox.jdbc.MigrationProgress;

/** A line for each step; while rows are filled in, one that a terminal overwrites. */
final class ProgressLine implements MigrationListener {
  private final PrintWriter out;
  private final boolean overwrites = System.console() != null;
  private String step = "";

  ProgressLine(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void progressed(MigrationProgress progress) {
    boolean same = progress.step().equals(step);
    step = progress.step();
    if (progress.estimatedRows() == 0) {
      out.println(step);
      return;
    }
    String line =
        "%s: %,d of about %,d rows, %,d a second"
            .formatted(step, progress.rows(), progress.estimatedRows(), progress.rowsPerSecond());
    out.print(same && overwrites ? "\r" + line : line + System.lineSeparator());
    out.flush();
  }
}
