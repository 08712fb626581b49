package outbox.jdbc;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import outbox.Batches;
import outbox.PayloadCodec;
import outbox.contracts.support.OptionTable;

/** The options of builders for listeners and handlers that take their payload as an object. */
final class PayloadOptions {
  private PayloadOptions() {}

  /** What these listeners take; JSON without any field is one, too. */
  record Letter(String text) {}

  /** Plain text. */
  static class TextCodec implements PayloadCodec {
    @Override
    public String contentType() {
      return "text/plain";
    }

    @Override
    public boolean isText() {
      return true;
    }

    @Override
    public byte[] encode(Object value) {
      return ((Letter) value).text().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Object decode(byte[] payload, Type type) {
      return new Letter(new String(payload, StandardCharsets.UTF_8));
    }
  }

  private static final Batches TEN = Batches.of(10);

  /** Adds those of builders of outboxes. */
  static <B extends EngineSettings<B> & PayloadListeners<B>, T extends EngineOptions<B>>
      OptionTable<T> ofListeners(OptionTable<T> table) {
    return table
        .option(
            "listener(String, Class, PayloadListener)",
            t -> t.isHeard(b -> b.listener("topic", Letter.class, letter -> t.note(letter))))
        .option(
            "listener(String, Class, With)",
            t ->
                t.isHeard(
                    b ->
                        b.listener(
                            "topic",
                            Letter.class,
                            (letter, event) -> t.note(letter, event.eventId()))))
        .option(
            "listener(String, String, Class, With)",
            t ->
                t.isCalledMail(
                    b ->
                        b.listener(
                            "topic",
                            "mail",
                            Letter.class,
                            (letter, event) -> EngineUnderTest.refuse(letter))))
        .option(
            "transactionalListener(String, Class, With)",
            t ->
                t.isHeard(
                    b ->
                        b.transactionalListener(
                            "topic",
                            Letter.class,
                            (letter, connection) -> t.noteIfBegun(connection))))
        .option(
            "transactionalListener(String, Class, WithBoth)",
            t ->
                t.isHeard(
                    b ->
                        b.transactionalListener(
                            "topic",
                            Letter.class,
                            (letter, event, connection) -> t.noteIfBegun(connection))))
        .option(
            "transactionalListener(String, String, Class, WithBoth)",
            t ->
                t.isCalledMail(
                    b ->
                        b.transactionalListener(
                            "topic",
                            "mail",
                            Letter.class,
                            (letter, event, connection) -> EngineUnderTest.refuse(letter))))
        .option(
            "handler(String, Class, PayloadListener)",
            t -> t.isHeard(b -> b.handler("topic", Letter.class, letter -> t.note(letter))))
        .option(
            "handler(String, Class, WithBoth)",
            t ->
                t.isHeard(
                    b ->
                        b.handler(
                            "topic",
                            Letter.class,
                            (letter, message, context) -> t.note(letter, message.id()))))
        .option(
            "batchListener(String, Batches, BatchListener)",
            t -> t.isHeard(b -> b.batchListener("topic", TEN, t::note)))
        .option(
            "batchListener(String, String, Batches, BatchListener)",
            t ->
                t.isCalledMail(b -> b.batchListener("topic", "mail", TEN, EngineUnderTest::refuse)))
        .option(
            "transactionalBatchListener(String, Batches, TransactionalBatchListener)",
            t ->
                t.isHeard(
                    b ->
                        b.transactionalBatchListener(
                            "topic", TEN, (batch, connection) -> t.noteIfBegun(connection))))
        .option(
            "transactionalBatchListener(String, String, Batches, TransactionalBatchListener)",
            t ->
                t.isCalledMail(
                    b ->
                        b.transactionalBatchListener(
                            "topic", "mail", TEN, EngineUnderTest::refuse)))
        .option(
            "batchListenerOfAll(Batches, BatchListener)",
            t -> t.isHeard(b -> b.batchListenerOfAll(TEN, t::note)))
        .option(
            "batchListenerOfAll(String, Batches, BatchListener)",
            t -> t.isCalledMail(b -> b.batchListenerOfAll("mail", TEN, EngineUnderTest::refuse)))
        .option(
            "batchListener(String, Class, Batches, PayloadListener)",
            t ->
                t.isHeard(
                    b -> b.batchListener("topic", Letter.class, TEN, letters -> t.note(letters))))
        .option(
            "batchListener(String, Class, Batches, With)",
            t ->
                t.isHeard(
                    b ->
                        b.batchListener(
                            "topic", Letter.class, TEN, (letters, batch) -> t.note(letters))))
        .option(
            "transactionalBatchListener(String, Class, Batches, With)",
            t ->
                t.isHeard(
                    b ->
                        b.transactionalBatchListener(
                            "topic",
                            Letter.class,
                            TEN,
                            (letters, connection) -> t.noteIfBegun(connection))));
  }

  /** Adds those of builders of inboxes. */
  static <B extends EngineSettings<B> & PayloadHandlers<B>, T extends EngineOptions<B>>
      OptionTable<T> ofHandlers(OptionTable<T> table) {
    return table
        .option(
            "batchHandler(String, Batches, InboxBatchHandler)",
            t -> t.isHeard(b -> b.batchHandler("topic", TEN, t::note)))
        .option(
            "transactionalBatchHandler(String, Batches, TransactionalInboxBatchHandler)",
            t ->
                t.isHeard(
                    b ->
                        b.transactionalBatchHandler(
                            "topic", TEN, (batch, connection) -> t.noteIfBegun(connection))))
        .option(
            "handler(String, Class, PayloadListener)",
            t -> t.isHeard(b -> b.handler("topic", Letter.class, letter -> t.note(letter))))
        .option(
            "handler(String, Class, WithBoth)",
            t ->
                t.isHeard(
                    b ->
                        b.handler(
                            "topic",
                            Letter.class,
                            (letter, message, context) -> t.note(letter, message.key()))))
        .option(
            "transactionalHandler(String, Class, With)",
            t ->
                t.isHeard(
                    b ->
                        b.transactionalHandler(
                            "topic",
                            Letter.class,
                            (letter, connection) -> t.noteIfBegun(connection))))
        .option(
            "transactionalHandler(String, Class, WithBoth)",
            t ->
                t.isHeard(
                    b ->
                        b.transactionalHandler(
                            "topic",
                            Letter.class,
                            (letter, message, connection) -> t.noteIfBegun(connection))));
  }
}
