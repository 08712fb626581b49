package outbox.jdbc.samples;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.HandlerContext;
import outbox.Outbox;
import outbox.OutboxConfig;
import outbox.OutboxHandler;
import outbox.OutboxMessage;
import outbox.PermanentFailureException;
import outbox.Retention;
import outbox.contracts.support.Spec;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.join.JoinPlan;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.JoinStep;
import outbox.model.MessageId;
import outbox.model.StepStatus;

class JoinSamplesTest {
  private static final String CUSTOMER = "customer-17";

  private final SampleDatabase database = new SampleDatabase();
  private final DataSource dataSource = database.dataSource();
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private volatile String broken = "";

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void threeSourcesAreTransformedWhenAllAreExtracted() throws Exception {
    try (JdbcOutbox outbox = start()) {
      AtomicReference<JoinPlan.Started> result = new AtomicReference<>();
      // region join-plan
      outbox.inTransaction(
          connection -> {
            JoinPlan.Started started =
                outbox
                    .joins()
                    .plan()
                    .groupingKey(CUSTOMER)
                    .deadline(Duration.ofHours(2))
                    .step("extract.customers", "{}")
                    .step("extract.orders", "{}")
                    .step("extract.products", "{}")
                    .onComplete("etl.transform", "{}")
                    .onFail("etl.failed", "{}")
                    .start();
            result.set(started); // filled in
          });
      // endregion
      JoinIdentifier join = requireNonNull(result.get()).join();

      await().atMost(Duration.ofSeconds(60)).until(() -> calls.contains("transform"));
      assertThat(calls).hasSize(4).endsWith("transform");
      assertThat(outbox.joins().find(join).orElseThrow().status()).isEqualTo(JoinStatus.COMPLETED);
    }
  }

  @Test
  void aSourceThatFailsTakesTheOtherBranch() throws Exception {
    broken = "extract.orders";
    try (JdbcOutbox outbox = start()) {
      JoinPlan.Started started =
          outbox
              .joins()
              .plan()
              .step("extract.customers", "{}")
              .step("extract.orders", "{}")
              .step("extract.products", "{}")
              .onComplete("etl.transform", "{}")
              .onFail("etl.failed", "{}")
              .start();

      await().atMost(Duration.ofSeconds(60)).until(() -> calls.contains("failed"));
      assertThat(calls).doesNotContain("transform");
      // region join-find
      Join join = outbox.joins().find(started.join()).orElseThrow();
      List<JoinStep> missing = outbox.joins().missingSteps(join.id());
      // endregion
      assertThat(join.status()).isEqualTo(JoinStatus.FAILED);
      assertThat(join.completedSteps()).isEqualTo(2);
      assertThat(join.failedSteps()).isEqualTo(1);
      assertThat(missing).isEmpty();
    }
  }

  @Test
  void theSameStepByStep() throws Exception {
    try (JdbcOutbox outbox = start()) {
      // region join-steps
      Outbox queue = outbox.queue();
      outbox.inTransaction(
          connection -> {
            JoinIdentifier join = queue.joins().startJoin(CUSTOMER, 2, "{\"phase\":\"extract\"}");
            queue.joins().enqueueStep(join, EventEnvelope.ofJson("extract.customers", "{}"));
            MessageId orders = queue.enqueue("extract.orders", "{}").id();
            queue.joins().attach(join, orders);
            queue.joins().enqueueJoinWait(join, false, "etl.transform", "{}");
          });
      // endregion

      await().atMost(Duration.ofSeconds(60)).until(() -> calls.contains("transform"));
      assertThat(queue.joins().findByGroupingKey(CUSTOMER)).hasSize(1);
    }
  }

  @Test
  @Spec("JOINU-09")
  void aReportIsAssembledOfTheSectionsThatSucceeded() throws Exception {
    try (JdbcOutbox outbox = builder().handler("report.section", this::write).start()) {
      // region join-succeeded
      outbox
          .listeners()
          .register(
              OutboxHandler.of(
                  "report.assemble",
                  (message, context) -> {
                    JoinIdentifier join =
                        new JoinIdentifier(requireNonNull(message.correlationId()));
                    List<String> sections =
                        outbox.joins().steps(join).stream()
                            .filter(step -> step.status() == StepStatus.COMPLETED)
                            .map(step -> step.messageId().value())
                            .toList();
                    assemble(sections);
                  }));
      // endregion
      // region join-partial
      JoinPlan plan = outbox.joins().plan().groupingKey("report-456").toleratingFailedSteps();
      for (int section = 1; section <= 5; section++) {
        plan.step(
            EventEnvelope.builder("report.section")
                .eventId("report-456-section-" + section)
                .payloadJson("{\"section\":" + section + "}")
                .build());
      }
      plan.onComplete("report.assemble", "{\"report\":456}").start();
      // endregion

      await().atMost(Duration.ofSeconds(60)).until(() -> calls.contains("assembled"));
      assertThat(calls)
          .containsExactly(
              "report-456-section-1",
              "report-456-section-2",
              "report-456-section-4",
              "report-456-section-5",
              "assembled");
    }
  }

  private void write(OutboxMessage section, HandlerContext context) {
    if (section.payload().contains("3")) {
      throw new PermanentFailureException("no data for section 3");
    }
  }

  private void assemble(List<String> sections) {
    calls.addAll(sections);
    calls.add("assembled");
  }

  @Test
  void aCancelledJoinContinuesAtOnceWithoutAPoll() throws Exception {
    OutboxConfig lazy = new OutboxConfig().setPollerIntervalMs(Duration.ofMinutes(10).toMillis());
    try (JdbcOutbox outbox = builder().config(lazy).start()) {
      JoinPlan.Started started =
          outbox
              .joins()
              .plan()
              .step("nobody.handles.this", "{}")
              .onComplete("etl.transform", "{}")
              .onFail("etl.failed", "{}")
              .start();

      // region join-cancel
      outbox.joins().cancelJoin(started.join());
      // endregion

      await().atMost(Duration.ofSeconds(60)).until(() -> calls.contains("failed"));
    }
  }

  @Test
  void joinsAndDeletionAtOnceExcludeEachOther() throws SQLException {
    JdbcOutboxRepository deleting = JdbcOutboxRepository.builder().deleteWhenDone(true).build();

    assertThatThrownBy(() -> builder().store(deleting).start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("deleteWhenDone (true) excludes joins()");
    try (JdbcOutbox without = JdbcOutbox.builder(dataSource).createSchema().start()) {
      assertThatThrownBy(without::joins)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("joins()");
    }
  }

  @Test
  @Spec("JOINU-07")
  void thePageSaysThatHandlersMustNotReport() throws IOException {
    String page = Files.readString(Path.of("../docs/joins.md")).replaceAll("\\s+", " ");
    assertThat(page)
        .contains(
            "`reportStepCompleted` and `reportStepFailed` are for steps whose message is gone")
        .contains("Handlers must not call them");
  }

  @Test
  @Spec("OBX-089")
  void thePageSaysWhatAJoinIsScopedBy() throws IOException {
    String page = Files.readString(Path.of("../docs/joins.md")).replaceAll("\\s+", " ");
    assertThat(page)
        .contains("A join belongs to one grouping key")
        .contains("The library does not compare the grouping key with the `tenantId` of messages");
  }

  private JdbcOutbox start() {
    return builder().start();
  }

  private JdbcOutbox.Builder builder() {
    // region join-setup
    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .joins()
            .retention(Retention.ofOutbox().joins(Duration.ofDays(30)))
            .handler("extract.customers", (message, context) -> extract("extract.customers"))
            .handler("extract.orders", (message, context) -> extract("extract.orders"))
            .handler("extract.products", (message, context) -> extract("extract.products"))
            .handler("etl.transform", (message, context) -> transform())
            .handler("etl.failed", (message, context) -> tellOperator());
    // endregion
    return builder;
  }

  private void extract(String source) {
    if (source.equals(broken)) {
      throw new PermanentFailureException(source + " is gone");
    }
    calls.add(source);
  }

  private void transform() {
    calls.add("transform");
  }

  private void tellOperator() {
    calls.add("failed");
  }
}
