package outbox.contracts.inbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;

/** The calls that bring a message to an inbox. */
enum InboxWayIn {
  RECEIVE,
  RECEIVE_IN_A_TRANSACTION,
  RECEIVE_ALL,
  RECEIVE_ALL_IN_A_TRANSACTION,
  ENQUEUE,
  ENQUEUE_IN_A_TRANSACTION,
  ALREADY_PROCESSED,
  ALREADY_PROCESSED_IN_A_TRANSACTION;

  boolean isReceive() {
    return switch (this) {
      case RECEIVE, RECEIVE_IN_A_TRANSACTION, RECEIVE_ALL, RECEIVE_ALL_IN_A_TRANSACTION -> true;
      default -> false;
    };
  }

  boolean isEnqueue() {
    return this == ENQUEUE || this == ENQUEUE_IN_A_TRANSACTION;
  }

  void bring(InboxUnderTest under, InboundMessage message) throws SQLException {
    Inbox inbox = under.inbox();
    try (Connection connection = under.begun()) {
      switch (this) {
        case RECEIVE -> inbox.receive(message);
        case RECEIVE_IN_A_TRANSACTION -> inbox.receive(connection, message);
        case RECEIVE_ALL -> inbox.receiveAll(List.of(message));
        case RECEIVE_ALL_IN_A_TRANSACTION -> inbox.receiveAll(connection, List.of(message));
        case ENQUEUE -> inbox.enqueue(message);
        case ENQUEUE_IN_A_TRANSACTION -> inbox.enqueue(connection, message);
        case ALREADY_PROCESSED -> inbox.alreadyProcessed(message.key(), message.hash());
        case ALREADY_PROCESSED_IN_A_TRANSACTION ->
            inbox.alreadyProcessed(connection, message.key(), message.hash());
      }
      connection.commit();
    }
  }
}
