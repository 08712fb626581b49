package outbox.kafka;

import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourcePatternFilter;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import outbox.contracts.broker.BrokerUnderTest;
import outbox.kafka.broker.KafkaBroker;
import outbox.spi.Forwarder;

/** A topic of its own on a broker that the test may kill. */
final class KafkaUnderTest implements BrokerUnderTest {
  private static final int PARTITIONS = 4;

  private final KafkaBroker broker;
  private final String topic = "numbers-" + UUID.randomUUID();

  KafkaUnderTest(KafkaBroker broker) {
    this.broker = broker;
    administer(
        admin -> admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1))).all());
    await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(this::hasLeaders);
  }

  private boolean hasLeaders() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
      return admin.describeTopics(List.of(topic)).allTopicNames().get().values().stream()
              .flatMap(description -> description.partitions().stream())
              .filter(partition -> partition.leader() != null)
              .count()
          == PARTITIONS;
    }
  }

  String topic() {
    return topic;
  }

  @Override
  public Forwarder forwarder(Duration lease) {
    return KafkaForwarder.builder(Map.of("bootstrap.servers", broker.address(), "client.id", topic))
        .topic(topic)
        .leaseDuration(lease)
        .pause(Duration.ofMillis(500))
        .build();
  }

  @Override
  public List<Arrival> arrivals() {
    return records().stream()
        .map(
            record ->
                new Arrival(
                    text(record.headers().lastHeader("outbox-event-id")),
                    new String(record.key(), StandardCharsets.UTF_8),
                    new String(record.value(), StandardCharsets.UTF_8)))
        .toList();
  }

  /** All records of the topic up to its present end, by partition and offset. */
  List<ConsumerRecord<byte[], byte[]>> records() {
    List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.address(), "auto.offset.reset", "earliest"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      Collection<TopicPartition> partitions =
          IntStream.range(0, PARTITIONS).mapToObj(n -> new TopicPartition(topic, n)).toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        consumer.poll(Duration.ofMillis(100)).forEach(all::add);
      }
    }
    return all;
  }

  @Override
  public void kill() {
    broker.kill();
  }

  @Override
  public void restart() {
    broker.restart();
  }

  @Override
  public void freeze() {
    broker.freeze();
  }

  @Override
  public void thaw() {
    broker.thaw();
  }

  /** Nobody may write to the topic. */
  @Override
  public void refuse() {
    administer(
        admin ->
            admin
                .createAcls(
                    List.of(
                        rule(AclOperation.ALL, AclPermissionType.ALLOW),
                        rule(AclOperation.WRITE, AclPermissionType.DENY)))
                .all());
    // The broker learns of it a moment after the controller has answered.
    await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> !mayWrite());
  }

  private boolean mayWrite() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
      return admin
          .describeTopics(
              List.of(topic), new DescribeTopicsOptions().includeAuthorizedOperations(true))
          .allTopicNames()
          .get()
          .values()
          .stream()
          .anyMatch(found -> found.authorizedOperations().contains(AclOperation.WRITE));
    }
  }

  @Override
  public void accept() {
    administer(
        admin ->
            admin
                .deleteAcls(
                    List.of(
                        new AclBindingFilter(
                            new ResourcePatternFilter(
                                ResourceType.TOPIC, topic, PatternType.LITERAL),
                            AccessControlEntryFilter.ANY)))
                .all());
  }

  private AclBinding rule(AclOperation operation, AclPermissionType permission) {
    return new AclBinding(
        new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
        new AccessControlEntry("User:*", "*", operation, permission));
  }

  @Override
  public void throttle() {
    Map<String, String> client = new HashMap<>();
    client.put(ClientQuotaEntity.CLIENT_ID, topic);
    administer(
        admin ->
            admin
                .alterClientQuotas(
                    List.of(
                        new ClientQuotaAlteration(
                            new ClientQuotaEntity(client),
                            List.of(new ClientQuotaAlteration.Op("producer_byte_rate", 20_000d)))))
                .all());
  }

  @Override
  public int tooLarge() {
    return 1_100_000;
  }

  void configure(String name, String value) {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    AlterConfigOp set = new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
    administer(admin -> admin.incrementalAlterConfigs(Map.of(resource, List.of(set))).all());
  }

  private void administer(Function<Admin, ? extends KafkaFuture<?>> action) {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
      action.apply(admin).get();
    } catch (ExecutionException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String text(Header header) {
    return new String(header.value(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {}
}
