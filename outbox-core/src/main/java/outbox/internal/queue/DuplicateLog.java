package outbox.internal.queue;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import outbox.EventEnvelope;
import outbox.internal.text.LogSettings;
import outbox.internal.text.LogText;

/** Says which events were left out because their key was there: one line for each. */
public final class DuplicateLog {
  private static final Logger MESSAGES = System.getLogger("outbox.messages");

  private DuplicateLog() {}

  public static void notInserted(EventEnvelope event) {
    Level level = LogSettings.perMessage();
    if (MESSAGES.isLoggable(level)) {
      MESSAGES.log(
          level,
          "OUTBOX_WORKER_DUPLICATE tenant={0} key={1}",
          LogText.of(String.valueOf(event.tenantId())),
          LogText.of(String.valueOf(event.idempotencyKey())));
    }
  }
}
