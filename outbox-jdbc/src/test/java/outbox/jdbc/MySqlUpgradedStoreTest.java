package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.jdbc.db.Product;

@Tag("slow")
@On(value = Product.MYSQL, upgraded = true)
class MySqlUpgradedStoreTest extends JdbcStoreContract {

  /** The column of version 1 is JSON, which forgets their order; finalizing makes it a text. */
  @Override
  @Test
  public void headersComeBackInTheirOrder() {
    Map<String, String> headers = Map.of("z", "first", "a", "\"quoted\" \\ \n", "empty", "");

    insert(EventEnvelope.builder("Type").eventId("a").headers(headers).payloadJson("{}").build());

    assertThat(claimById("me", "a"))
        .singleElement()
        .satisfies(claimed -> assertThat(claimed.event().headers()).isEqualTo(headers));
  }
}
