package outbox.internal.engine.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.internal.text.LogSettings;

class FailureTraceTest {

  @BeforeEach
  void leaveMessagesOut() {
    LogSettings.exceptionMessages(false);
  }

  @AfterEach
  void writeMessages() {
    LogSettings.exceptionMessages(true);
  }

  @Test
  @Spec("OBX-099")
  void showsMessagesThatBeginNoLineOfTheirOwn() {
    LogSettings.exceptionMessages(true);

    assertThat(printed(new IllegalStateException("why\nFORGED", new Exception("cause"))))
        .startsWith("java.lang.IllegalStateException: why\\u000aFORGED\n\tat ")
        .contains("Caused by: java.lang.Exception: cause");
  }

  @Test
  @Spec("OBX-099")
  void showsClassesAndStacksButNoMessages() {
    SQLException cause = new SQLException("duplicate key (secret)");
    cause.addSuppressed(new IOException("suppressed secret"));

    String printed = printed(new IllegalStateException("secret", cause));

    assertThat(printed)
        .startsWith(
            "java.lang.IllegalStateException\n\tat outbox.internal.engine.common.FailureTraceTest")
        .contains("Caused by: java.sql.SQLException")
        .doesNotContain("secret");
  }

  @Test
  void endsWhereCausesGoInACircle() {
    Exception one = new Exception("one");
    one.initCause(new Exception("other", one));

    assertThat(printed(one)).contains("Caused by: java.lang.Exception");
  }

  private static String printed(Throwable error) {
    StringWriter text = new StringWriter();
    FailureTrace.of(error).printStackTrace(new PrintWriter(text, true));
    return text.toString();
  }
}
