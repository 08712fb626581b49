package outbox.admin.data;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.query.BoundedQueries.Session;
import outbox.jdbc.internal.query.Row;

/** Reads what was sent: whether it is there always, what it is only if asked. */
final class Payloads {
  private Payloads() {}

  /** What the row tells of the payload without reading it. */
  static Payload unseen(Row row, boolean ofOutbox) throws SQLException {
    Long text = row.number("text_size");
    Long bytes = row.number("bytes_size");
    boolean mayBeOfVersion1 = ofOutbox && row.integer("kept") == 1;
    if (text == null && bytes == null && !mayBeOfVersion1) {
      return Payload.CLEARED;
    }
    return new Payload(Payload.Kind.HIDDEN, null, null, size(text) + size(bytes));
  }

  static Payload seen(Session session, String id, Payload unseen, boolean ofOutbox) {
    if (unseen.kind() == Payload.Kind.CLEARED) {
      return unseen;
    }
    Payload payload = read(session, "payload", id, unseen.size());
    if (payload.kind() == Payload.Kind.CLEARED && ofOutbox) {
      return read(session, "version1_payload", id, unseen.size());
    }
    return payload;
  }

  private static Payload read(Session session, String statement, String id, long size) {
    return session
        .query(
            statement,
            values -> values.text("id", id).number("most", Payload.MAX_SHOWN),
            row -> payload(row, size))
        .stream()
        .findFirst()
        .orElse(Payload.CLEARED);
  }

  private static Payload payload(Row row, long size) throws SQLException {
    String text = row.text("payload_text");
    if (text != null) {
      return new Payload(Payload.Kind.TEXT, text, null, Math.max(size, text.length()));
    }
    byte[] bytes = row.bytes("payload_bytes");
    return bytes == null ? Payload.CLEARED : new Payload(Payload.Kind.BYTES, null, bytes, size);
  }

  private static long size(@Nullable Long bytes) {
    return bytes == null ? 0 : bytes;
  }
}
