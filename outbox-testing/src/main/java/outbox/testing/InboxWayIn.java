package outbox.testing;

import java.sql.Connection;
import java.sql.SQLException;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;

/** The calls that bring a message to an inbox. */
enum InboxWayIn {
  RECEIVE,
  RECEIVE_IN_A_TRANSACTION,
  ENQUEUE,
  ENQUEUE_IN_A_TRANSACTION,
  ALREADY_PROCESSED,
  ALREADY_PROCESSED_IN_A_TRANSACTION;

  boolean isReceive() {
    return this == RECEIVE || this == RECEIVE_IN_A_TRANSACTION;
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
