package outbox.cli;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the command was started in: whether a person looks at it, and how to ask that person. */
interface Terminal {

  /** Whether the output is shown on a terminal, not kept in a file or read by a program. */
  boolean showsOutput();

  /** Whether messages are shown on a terminal. */
  boolean showsMessages();

  /** Whether a user can answer. */
  boolean canAsk();

  int columns();

  int rows();

  /** Reads a line; null at the end of the input. */
  @Nullable String answer();

  /** Reads a line without showing it; null if no user can be asked. */
  @Nullable String secret(String prompt);

  /** Takes the whole screen and single keys, until it is given back. */
  Keys takeOver();

  /** The keyboard. */
  interface Keys extends AutoCloseable {
    char NONE = 0;

    /** The next key; {@link #NONE} if there was none within this time. */
    char next(Duration within);

    /** Gives the screen back as it was. Closing twice is harmless. */
    @Override
    void close();
  }
}
