package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import org.junit.jupiter.api.Test;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.inbox.ReceiveResult;
import outbox.inbox.ReceiveResult.Kind;
import outbox.jdbc.db.Product;

@On(Product.MYSQL)
class MySqlInboxTest extends JdbcInboxContract {

  @Test
  void aMessageThatIsNewerThanTheCallersSnapshotIsKnown() throws Exception {
    InboundMessage message = InboundMessage.of(new InboxKey("shop", "m"), "topic", "{}");
    try (Connection connection = connections().getConnection()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      assertThat(store().find(connection, message.key())).isEmpty();
      connections().inAutoCommit(other -> store().receive(other, message));

      assertThat(store().receive(connection, message))
          .isEqualTo(new ReceiveResult(Kind.DUPLICATE, false));

      connection.commit();
    }
  }
}
