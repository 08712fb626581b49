package outbox.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.System.Logger.Level;
import org.junit.jupiter.api.Test;

class LogSettingsTest {

  @Test
  void linesPerMessageAreWrittenAtDebugAndMessagesOfExceptionsAreWritten() {
    assertThat(LogSettings.perMessage()).isEqualTo(Level.DEBUG);
    assertThat(LogSettings.exceptionMessages()).isTrue();
  }

  @Test
  void aLevelIsReadHoweverItIsWritten() {
    assertThat(LogSettings.parseLevel(" INFO ")).isEqualTo(Level.INFO);
    assertThat(LogSettings.parseLevel("debug")).isEqualTo(Level.DEBUG);
  }

  @Test
  void whatCannotBeReadKeepsTheLogShortAndDiscreet() {
    assertThat(LogSettings.parseLevel("all")).isEqualTo(Level.DEBUG);
    assertThat(LogSettings.parseSwitch("no")).isFalse();
  }

  @Test
  void aSwitchIsReadHoweverItIsWritten() {
    assertThat(LogSettings.parseSwitch("True")).isTrue();
    assertThat(LogSettings.parseSwitch("false ")).isFalse();
  }
}
