package outbox.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.demo.DoomedNode.Witness;

@Timeout(120)
class NodeProcessTest {
  private static final int KILLS = 50;
  private static final int LINES = 3_000;

  private final Queue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
  private final Queue<String> delivered = new ConcurrentLinkedQueue<>();

  @AfterEach
  void forgetHandler() {
    Thread.setDefaultUncaughtExceptionHandler(null);
  }

  @Test
  void killingTheNodePrintsNoStackTrace() throws Exception {
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> uncaught.add(e));

    for (int kill = 0; kill < KILLS; kill++) {
      try (NodeProcess node = NodeProcess.of(process("cat"), witness(() -> {}))) {
        node.crash();
        assertThat(node.isAlive()).isFalse();
      }
    }

    assertThat(uncaught).isEmpty();
  }

  @Test
  void whatTheNodeSaidBeforeItsEndIsReadBeforeTheCrashReturns() throws Exception {
    Process talkative = process("seq", "-f", "delivered event-%.0f", "1", "" + LINES);
    Witness slow = witness(() -> talkative.onExit().join());

    try (NodeProcess node = NodeProcess.of(talkative, slow)) {
      talkative.waitFor();
      node.crash();
    }

    assertThat(delivered).hasSize(LINES);
  }

  private static Process process(String... command) throws IOException {
    return new ProcessBuilder(command).start();
  }

  private Witness witness(Runnable beforeEach) {
    return new Witness() {
      @Override
      public void committed(String eventId, String orderId) {}

      @Override
      public void delivered(String eventId) {
        beforeEach.run();
        delivered.add(eventId);
      }

      @Override
      public void leftOpen(String eventId, String orderId) {}
    };
  }
}
