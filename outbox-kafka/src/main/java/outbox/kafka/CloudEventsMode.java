package outbox.kafka;

/** The two ways of CloudEvents 1.0 to be a Kafka record. */
public enum CloudEventsMode {
  /** Attributes are headers that begin with {@code ce_}; the value is the payload as it is. */
  BINARY,

  /**
   * The value is JSON that has the attributes and the payload. Needs {@code
   * io.cloudevents:cloudevents-json-jackson}.
   */
  STRUCTURED
}
