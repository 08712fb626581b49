package outbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

/** What docs/webhook.md shows. */
class WebhookSamplesTest {

  @Test
  void buildsReceivers() {
    try (TestDatabase database = TestDatabase.create(Product.H2);
        JdbcInbox inbox = JdbcInbox.builder(database.dataSource()).createSchema().start()) {
      assertThat(standard(inbox, "whsec_c2VjcmV0")).isNotNull();
      assertThat(github(inbox, "s3cret")).isNotNull();
    }
  }

  private static WebhookReceiver standard(JdbcInbox inbox, String secret) {
    // region webhook-standard
    WebhookReceiver receiver =
        WebhookReceiver.builder(inbox, "bank", WebhookSignature.standard(secret)).build();
    // endregion
    return receiver;
  }

  private static WebhookReceiver github(JdbcInbox inbox, String secret) {
    // region webhook-github
    WebhookReceiver receiver =
        WebhookReceiver.builder(
                inbox,
                "github",
                WebhookSignature.hmacSha256("X-Hub-Signature-256", "sha256=", secret))
            .messageId(request -> request.header("X-GitHub-Delivery"))
            .topic(request -> "github." + request.header("X-GitHub-Event"))
            .build();
    // endregion
    return receiver;
  }
}
