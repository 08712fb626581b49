package outbox.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class LogLineTest {

  @Test
  void aRecordIsOneLineWithoutSecretsAndWithoutATrace() {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    LogRecord record = new LogRecord(Level.WARNING, "no login by jdbc:x:y?password=nightingale");
    record.setThrown(new IllegalStateException("first\nsecond"));

    LogLine.to(err, false).publish(record);

    assertThat(err.toString(UTF_8))
        .endsWith(" WARNING no login by jdbc:x:y?password=***: first second\n")
        .hasLineCount(1);
  }

  @Test
  void theEndOfTheLogIsNotTheEndOfTheStream() {
    StringBuilder happened = new StringBuilder();
    Handler handler =
        LogLine.to(
            new ByteArrayOutputStream() {
              @Override
              public void close() {
                happened.append("closed");
              }
            },
            false);

    handler.close();

    assertThat(happened).isEmpty();
  }
}
