package outbox.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxStatus;
import outbox.inbox.ReceiveResult;
import outbox.inbox.ReceiveResult.Kind;
import outbox.jdbc.internal.store.InboxRows;

/** A message that was there before. */
record KnownMessage(InboxStatus status, boolean lacksContent, boolean contentDiffers) {
  /** None if the message is new. */
  static Optional<KnownMessage> of(ResultSet row, InboundMessage message) throws SQLException {
    String knownAs = row.getString("known_as");
    byte[] hash = knownAs == null || message.hash() == null ? null : row.getBytes("hash");
    return of(knownAs, hash, message);
  }

  /**
   * None if the message is new.
   *
   * @param knownAs the status, and the payload if it is to be compared; null if the message is new
   * @param hash the stored one, if the message has one to compare
   */
  static Optional<KnownMessage> of(
      @Nullable String knownAs, byte @Nullable [] hash, InboundMessage message) {
    if (knownAs == null) {
      return Optional.empty();
    }
    int status = Character.digit(knownAs.charAt(0), 10);
    String payload = knownAs.length() == 1 ? null : knownAs.substring(2);
    return Optional.of(
        new KnownMessage(
            InboxRows.status(status),
            InboxRows.lacksContent(status),
            contentDiffers(message, hash, payload)));
  }

  /** What the sender is told. */
  ReceiveResult result() {
    Kind kind =
        switch (status) {
          case DONE -> Kind.DONE;
          case DEAD -> Kind.DEAD;
          case SEEN, PROCESSING -> Kind.DUPLICATE;
        };
    return new ReceiveResult(kind, contentDiffers);
  }

  /** By the hashes if both have one, else by the payloads, unless it has none any more. */
  private static boolean contentDiffers(
      InboundMessage message, byte @Nullable [] hash, @Nullable String payload) {
    return hash == null
        ? payload != null && !payload.equals(message.payload())
        : !Arrays.equals(hash, message.hash());
  }
}
