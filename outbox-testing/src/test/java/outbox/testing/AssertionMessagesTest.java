package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static outbox.testing.OutboxAssertions.assertThat;

import java.io.IOException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.model.EventStatus;

/** Who reads a failed assertion sees what was expected and what there is. */
class AssertionMessagesTest {
  private final TestOutbox outbox = TestOutbox.create();
  private final PublishedEvents events = outbox.published();

  record OrderPlaced(long orderId, String item) {}

  @AfterEach
  void close() {
    outbox.close();
  }

  @Test
  void anotherPayloadIsShown() {
    outbox.publish("OrderPlaced", new OrderPlaced(43, "book"));
    outbox.publish("MailRequested", "to 43");

    assertThat(
            message(
                () ->
                    assertThat(events)
                        .contains("OrderPlaced")
                        .withPayload(new OrderPlaced(42, "book"))))
        .isEqualTo(
            """

            Expecting an event
              OrderPlaced with payload OrderPlaced[orderId=42, item=book]
            but there is
              OrderPlaced {"orderId":43,"item":"book"} status=NEW""");
  }

  @Test
  void allEventsAreShownIfTheTopicIsMissing() {
    outbox.publish("OrderPlaced", new OrderPlaced(42, "book"), event -> event.tenantId("acme"));
    outbox.publish("MailRequested", "to 42", event -> event.header("source", "web"));

    assertThat(message(() -> assertThat(events).contains("OrderCancelled")))
        .isEqualTo(
            """

            Expecting an event of topic
              OrderCancelled
            but there are
              OrderPlaced {"orderId":42,"item":"book"} tenant=acme status=NEW
              MailRequested to 42 headers={source=web} status=NEW""");
  }

  @Test
  void nothingPublishedIsSaid() {
    assertThat(message(() -> assertThat(events).as("the order").contains("OrderPlaced")))
        .isEqualTo("[the order] \nExpecting an event of topic\n  OrderPlaced\nbut there are none");
  }

  @Test
  void theErrorOfAnEventThatIsNotDoneIsShown() {
    outbox
        .listener("OrderPlaced", event -> {})
        .failNext("OrderPlaced", new IOException("mail server down"));
    outbox.publish("OrderPlaced", new OrderPlaced(42, "book"));
    outbox.runAll();

    assertThat(message(() -> assertThat(events).areDone()))
        .isEqualTo(
            """

            Expecting all events to be DONE
            but there is
              OrderPlaced {"orderId":42,"item":"book"} status=RETRY attempts=1 error=java.io.IOException: mail server down""");
  }

  @Test
  void eachStepSaysWhatWasWantedUntilThen() {
    outbox.publish("OrderPlaced", new OrderPlaced(42, "book"));
    outbox.publish("OrderPlaced", new OrderPlaced(42, "book"));

    assertThat(
            message(
                () ->
                    assertThat(events)
                        .contains("OrderPlaced")
                        .withStatus(EventStatus.NEW)
                        .withTenant("acme")))
        .contains("OrderPlaced with status NEW and tenant acme\nbut there are\n  OrderPlaced {");
    assertThat(message(() -> assertThat(events).contains("OrderPlaced").once()))
        .contains("Expecting exactly 1 of\n  OrderPlaced\nbut there are\n");
    assertThat(
            message(
                () ->
                    assertThat(events)
                        .contains("OrderPlaced")
                        .withPayloadSatisfying(
                            OrderPlaced.class, order -> assertThat(order.item()).isEqualTo("pen"))))
        .contains("that satisfies the assertions", "The last one failed:", "\"pen\"");
  }

  @Test
  void otherFailuresShowAllEvents() {
    outbox.publish("OrderPlaced", new OrderPlaced(42, "book"));

    String shown = "OrderPlaced {\"orderId\":42,\"item\":\"book\"}";
    assertThat(message(() -> assertThat(events).isEmpty())).contains("no event", shown);
    assertThat(message(() -> assertThat(events).hasSize(2))).contains("2 events", shown);
    assertThat(message(() -> assertThat(events).doesNotContain("OrderPlaced"))).contains(shown);
    assertThat(message(() -> assertThat(events).containsExactly("A", "B")))
        .contains("[A, B]", shown);
  }

  private static String message(ThrowingCallable assertion) {
    return String.valueOf(catchThrowableOfType(AssertionError.class, assertion).getMessage());
  }
}
