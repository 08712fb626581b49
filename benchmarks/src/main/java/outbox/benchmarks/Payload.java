package outbox.benchmarks;

import outbox.EventEnvelope;

/** The event that everybody publishes: about 200 bytes of JSON. */
final class Payload {
  static final String TYPE = "OrderPlaced";
  static final String TEXT = "{\"order\":\"4711\",\"note\":\"" + "x".repeat(176) + "\"}";

  private Payload() {}

  static EventEnvelope next() {
    return EventEnvelope.ofJson(TYPE, TEXT);
  }
}
