package outbox.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import org.junit.jupiter.api.Test;

class NodeLinesTest {
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final NodeLines.Writer writer =
      new NodeLines.Writer(new PrintStream(written, true, UTF_8));

  @Test
  void readsWhatItWrites() throws IOException {
    writer.committed("event-1", "B-1");
    writer.delivered("event-1");
    writer.leftOpen("event-2", "B-2");
    Ledger ledger = new Ledger();

    NodeLines.read(lines(written.toString(UTF_8)), new CrashWitness(ledger));

    assertThat(ledger.stories())
        .containsEntry(
            "event-1", new OrderStory("B-1", OrderStory.End.COMMITTED, false, true, 0, 1, 1))
        .containsEntry(
            "event-2", new OrderStory("B-2", OrderStory.End.ROLLED_BACK, false, true, 0, 0, 0));
  }

  @Test
  void refusesLineThatItDoesNotKnow() {
    assertThatThrownBy(
            () -> NodeLines.read(lines("Exception in thread"), new CrashWitness(new Ledger())))
        .isInstanceOf(IOException.class)
        .hasMessage("the second node said: Exception in thread");
  }

  private static BufferedReader lines(String text) {
    return new BufferedReader(new StringReader(text));
  }
}
