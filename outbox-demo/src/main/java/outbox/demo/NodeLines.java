package outbox.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import outbox.demo.DoomedNode.Witness;

/** The lines by which the second node tells the first what it does. */
final class NodeLines {
  private static final String COMMITTED = "committed";
  private static final String DELIVERED = "delivered";
  private static final String OPEN = "open";

  private NodeLines() {}

  /** Passes each line to the witness until the node ends. */
  static void read(BufferedReader lines, Witness witness) throws IOException {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] words = line.split(" ", -1);
      switch (words[0]) {
        case COMMITTED -> witness.committed(words[1], words[2]);
        case DELIVERED -> witness.delivered(words[1]);
        case OPEN -> witness.leftOpen(words[1], words[2]);
        default -> throw new IOException("the second node said: " + line);
      }
    }
  }

  /** The node's side. */
  record Writer(PrintStream out) implements Witness {
    @Override
    public void committed(String eventId, String orderId) {
      say(COMMITTED + " " + eventId + " " + orderId);
    }

    @Override
    public void delivered(String eventId) {
      say(DELIVERED + " " + eventId);
    }

    @Override
    public void leftOpen(String eventId, String orderId) {
      say(OPEN + " " + eventId + " " + orderId);
    }

    private void say(String line) {
      out.println(line);
      out.flush();
    }
  }
}
