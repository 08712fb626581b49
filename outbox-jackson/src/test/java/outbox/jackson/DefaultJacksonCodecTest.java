package outbox.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.PayloadCodec;

/** Which Jackson the codec on the class path uses. */
class DefaultJacksonCodecTest {
  record Note(String text) {}

  @Test
  void theCodecOnTheClassPathIsThisOne() {
    PayloadCodec codec = PayloadCodec.onClassPath();
    EventEnvelope event = EventEnvelope.builder("note").payload(new Note("x"), codec).build();

    assertThat(event.payloadJson()).isEqualTo("{\"text\":\"x\"}");
    assertThat(codec.read(event, Note.class)).isEqualTo(new Note("x"));
    assertThat(codec.canRead(Note.class)).isTrue();
  }

  @Test
  void jackson3GoesBeforeJackson2() {
    assertThat(new DefaultJacksonCodec()).hasToString(JacksonCodec.class.getName());
    assertThat(new DefaultJacksonCodec(without("tools.jackson.databind.")))
        .hasToString(Jackson2Codec.class.getName());
  }

  @Test
  void withoutAnyTheErrorNamesBoth() {
    assertThatThrownBy(
            () ->
                new DefaultJacksonCodec(
                    without("tools.jackson.databind.", "com.fasterxml.jackson.databind.")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("tools.jackson.core:jackson-databind")
        .hasMessageContaining("com.fasterxml.jackson.core:jackson-databind");
  }

  private static ClassLoader without(String... packages) {
    return new ClassLoader(DefaultJacksonCodecTest.class.getClassLoader()) {
      @Override
      protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        for (String each : packages) {
          if (name.startsWith(each)) {
            throw new ClassNotFoundException(name);
          }
        }
        return super.loadClass(name, resolve);
      }
    };
  }
}
