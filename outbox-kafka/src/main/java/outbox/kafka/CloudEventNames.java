package outbox.kafka;

/** Names of CloudEvents on Kafka, without its SDK. */
final class CloudEventNames {
  static final String PREFIX = "ce_";
  static final String JSON = "application/cloudevents+json";
  static final String AGGREGATE_TYPE = "aggregatetype";
  static final String TENANT_ID = "tenantid";
  static final String CORRELATION_ID = "correlationid";

  private CloudEventNames() {}
}
