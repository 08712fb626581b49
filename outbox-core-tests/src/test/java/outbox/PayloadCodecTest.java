package outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.lang.reflect.Type;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;

/** What a codec writes, what it reads, and how it is found. */
class PayloadCodecTest {
  @TempDir Path services;

  record Note(String text) {}

  /** Notes as text; JSON only by name. */
  public static class NoteCodec implements PayloadCodec {
    @Override
    public byte[] encode(Object value) {
      return ((Note) value).text().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public @Nullable Object decode(byte[] payload, Type type) throws Exception {
      String text = new String(payload, StandardCharsets.UTF_8);
      return switch (text) {
        case "null" -> null;
        case "quoted" -> throw new IOException("it says: quoted");
        case "explained" -> throw new UnreadablePayloadException("at its begin");
        default -> new Note(text);
      };
    }
  }

  /** Another one. */
  public static final class SecondCodec extends NoteCodec {}

  /** One that cannot be made. */
  public static final class BrokenCodec extends NoteCodec {
    public BrokenCodec() {
      throw new IllegalStateException("add the parser");
    }
  }

  private static class BytesCodec extends NoteCodec {
    @Override
    public String contentType() {
      return "application/x-note";
    }
  }

  @Test
  void jsonIsTextWithoutAHeader() {
    EventEnvelope event = written(new Note("hällo"), new NoteCodec());

    assertThat(event.payloadJson()).isEqualTo("hällo");
    assertThat(event.headers()).isEmpty();
    assertThat(new NoteCodec().read(event, Note.class)).isEqualTo(new Note("hällo"));
  }

  @Test
  void anotherContentTypeIsBytesWithAHeader() {
    EventEnvelope event = written(new Note("hällo"), new BytesCodec());

    assertThat(event.payloadJson()).isNull();
    assertThat(event.headers()).isEqualTo(Map.of("content-type", "application/x-note"));
    assertThat(new BytesCodec().read(event, Note.class)).isEqualTo(new Note("hällo"));
  }

  @Test
  void theContentTypeOutlivesHeadersThatReplaceAll() {
    EventEnvelope.Builder builder =
        EventEnvelope.builder("note").payload(new Note("x"), new BytesCodec());

    assertThat(builder.headers(Map.of("a", "b")).build().headers())
        .isEqualTo(Map.of("a", "b", "content-type", "application/x-note"));
    assertThat(builder.header("content-type", "mine").build().headers())
        .containsEntry("content-type", "mine");
    assertThat(EventEnvelope.builder("note").payload("text", new BytesCodec()).build().headers())
        .isEmpty();
  }

  @Test
  void textAndBytesPassByTheCodec() {
    assertThat(written("{}", PayloadCodec.onClassPath()).payloadJson()).isEqualTo("{}");
    assertThat(written(new byte[] {1}, PayloadCodec.onClassPath()).payloadBytes())
        .containsExactly(1);
  }

  @Test
  void whyAPayloadCannotBeReadIsKeptIfTheCodecSaysSo() {
    assertThat(unreadable("explained", new NoteCodec()))
        .isEqualTo("the payload cannot be read as " + Note.class.getName() + ": at its begin");
    assertThat(unreadable("null", new NoteCodec())).endsWith(": it is null");
  }

  @Test
  void theMessageOfAnyOtherExceptionIsNotKept() {
    assertThat(unreadable("quoted", new NoteCodec())).endsWith(": java.io.IOException");
  }

  @Test
  void twoContentTypesAreNamed() {
    assertThat(unreadable("explained", new BytesCodec()))
        .endsWith("its content type is application/json, and the codec reads application/x-note");
  }

  @Test
  void anInboxTakesNoBytes() {
    InboxKey key = new InboxKey("shop", "1");

    assertThat(InboundMessage.of(key, "note", new Note("x"), new NoteCodec()).payload())
        .isEqualTo("x");
    assertThatThrownBy(() -> InboundMessage.of(key, "note", new Note("x"), new BytesCodec()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("application/x-note");
  }

  @Test
  void withoutACodecTheErrorNamesTheWayOut() {
    assertThatThrownBy(() -> written(new Note("x"), PayloadCodec.onClassPath()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("outbox-jackson")
        .hasMessageContaining("codec(…)");
  }

  @Test
  void theOnlyCodecOnTheClassPathIsFound() throws Exception {
    provided(
        NoteCodec.class.getName(),
        () -> {
          PayloadCodec codec = PayloadCodec.onClassPath();
          EventEnvelope event = written(new Note("found"), codec);
          assertThat(codec.read(event, Note.class)).isEqualTo(new Note("found"));
          assertThat(codec.read("read", Note.class)).isEqualTo(new Note("read"));
          assertThat(codec.canRead(Note.class)).isTrue();
        });
  }

  @Test
  void twoCodecsOnTheClassPathAreNamed() throws Exception {
    provided(
        NoteCodec.class.getName() + "\n" + SecondCodec.class.getName(),
        () ->
            assertThatThrownBy(() -> PayloadCodec.onClassPath().contentType())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("NoteCodec, ")
                .hasMessageContaining("SecondCodec")
                .hasMessageContaining("codec(…)"));
  }

  @Test
  void aCodecThatCannotBeMadeSaysWhy() throws Exception {
    provided(
        BrokenCodec.class.getName(),
        () ->
            assertThatThrownBy(() -> PayloadCodec.onClassPath().isText())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("add the parser"));
  }

  private static EventEnvelope written(Object payload, PayloadCodec codec) {
    return EventEnvelope.builder("note").payload(payload, codec).build();
  }

  private static String unreadable(String payload, PayloadCodec codec) {
    EventEnvelope event = EventEnvelope.ofJson("note", payload);
    return String.valueOf(
        catchThrowableOfType(UnreadablePayloadException.class, () -> codec.read(event, Note.class))
            .getMessage());
  }

  /** Runs with a class loader that provides these codecs. */
  private void provided(String codecs, Runnable test) throws Exception {
    Path names = services.resolve("META-INF/services");
    Files.createDirectories(names);
    Files.writeString(names.resolve(PayloadCodec.class.getName()), codecs);
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {services.toUri().toURL()}, before)) {
      thread.setContextClassLoader(loader);
      test.run();
    } finally {
      thread.setContextClassLoader(before);
    }
  }
}
