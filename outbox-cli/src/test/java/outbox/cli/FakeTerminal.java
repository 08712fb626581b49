package outbox.cli;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A terminal at which the user has typed everything already. */
final class FakeTerminal implements Terminal {
  private static final int ROWS = 24;

  final Deque<String> answers = new ArrayDeque<>();
  final Deque<Character> keys = new ArrayDeque<>();
  private final boolean shown;
  private final int columns;

  private FakeTerminal(boolean shown, int columns) {
    this.shown = shown;
    this.columns = columns;
  }

  static FakeTerminal of(int columns) {
    return new FakeTerminal(true, columns);
  }

  static FakeTerminal none() {
    return new FakeTerminal(false, 80);
  }

  @Override
  public boolean showsOutput() {
    return shown;
  }

  @Override
  public boolean showsMessages() {
    return shown;
  }

  @Override
  public boolean canAsk() {
    return shown;
  }

  @Override
  public int columns() {
    return columns;
  }

  @Override
  public int rows() {
    return ROWS;
  }

  @Override
  public @Nullable String answer() {
    return answers.poll();
  }

  @Override
  public @Nullable String secret(String prompt) {
    return answers.poll();
  }

  @Override
  public Keys takeOver() {
    return new Keys() {
      @Override
      public char next(Duration within) {
        Character key = keys.poll();
        return key == null ? NONE : key;
      }

      @Override
      public void close() {}
    };
  }
}
