package outbox.kafka.broker;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;

/** One node that is broker and controller: {@code BrokerMain folder port controllerPort}. */
public final class BrokerMain {
  private static final int NODE = 1;
  private static final String CLUSTER = "outboxoutboxoutboxoutA";

  private BrokerMain() {}

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    Map<String, String> settings = settings(folder, args[1], args[2]);
    if (!Files.exists(folder.resolve("meta.properties"))) {
      format(folder);
    }
    KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(settings, false), Time.SYSTEM);
    server.startup();
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));
    System.out.println("ready");
    server.awaitShutdown();
  }

  private static void format(Path folder) throws Exception {
    new Formatter()
        .setNodeId(NODE)
        .setClusterId(Uuid.fromString(CLUSTER).toString())
        .setControllerListenerName("CONTROLLER")
        .setMetadataLogDirectory(folder.toString())
        .addDirectory(folder.toString())
        .setPrintStream(
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
        .run();
  }

  private static Map<String, String> settings(Path folder, String port, String controllerPort) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("process.roles", "broker,controller");
    settings.put("node.id", Integer.toString(NODE));
    settings.put("controller.quorum.voters", NODE + "@127.0.0.1:" + controllerPort);
    settings.put("controller.listener.names", "CONTROLLER");
    settings.put(
        "listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort);
    settings.put("log.dirs", folder.toString());
    settings.put("num.partitions", "4");
    // A broker that was killed may register again as soon as its old session is over.
    settings.put("broker.session.timeout.ms", "1500");
    settings.put("broker.heartbeat.interval.ms", "300");
    settings.put("group.initial.rebalance.delay.ms", "0");
    // Everybody may do everything, until a test says otherwise.
    settings.put(
        "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
    settings.put("allow.everyone.if.no.acl.found", "true");
    settings.put("log.cleaner.enable", "false");
    for (String topic :
        List.of("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")) {
      settings.put(topic + ".replication.factor", "1");
      settings.put(topic + ".num.partitions", "1");
    }
    settings.put("transaction.state.log.min.isr", "1");
    settings.put("share.coordinator.state.topic.min.isr", "1");
    return settings;
  }
}
