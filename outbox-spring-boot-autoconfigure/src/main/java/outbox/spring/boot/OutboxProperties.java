package outbox.spring.boot;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.util.unit.DataSize;
import outbox.OutboxConfig;
import outbox.Retention;
import outbox.jdbc.JdbcJoinStore;
import outbox.join.JoinCoordinator;

/**
 * Settings of the outbox.
 *
 * @param enabled whether there is an outbox at all
 * @param datasource name of the data source bean; needed where there are several and none is
 *     primary
 * @param transactionManager name of the transaction manager bean of that data source; found by
 *     itself in most cases
 * @param table table of the events: a name, or a schema and a name with a dot between
 * @param deleteWhenDone whether events are deleted when they are done, instead of kept as DONE
 * @param storeName what log lines of the work queue call this database
 * @param maxErrorTextLength characters that are kept of an error of outbox and inbox
 * @param node name of this process for owner tokens and processed_by
 * @param notifyNodes whether other nodes are woken by PostgreSQL's NOTIFY
 * @param applicationEvents whether application events marked with &#64;ExternalEvent go through the
 *     outbox; while it is not set, they are refused
 * @param schema the tables
 * @param joins fan-in over events
 * @param retention how long what has ended is kept
 * @param inbox the idempotent receiver
 * @param dispatcher running listeners
 * @param poller looking into the database
 * @param retry failed deliveries
 * @param topics settings of single topics, by their names
 * @param metrics counters and timers
 */
@ConfigurationProperties("outbox")
public record OutboxProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable String datasource,
    @Nullable String transactionManager,
    @DefaultValue("outbox_event") String table,
    @DefaultValue("false") boolean deleteWhenDone,
    @Nullable String storeName,
    @DefaultValue("4000") int maxErrorTextLength,
    @Nullable String node,
    @DefaultValue("false") boolean notifyNodes,
    @Nullable Boolean applicationEvents,
    @DefaultValue Schema schema,
    @DefaultValue Joins joins,
    @DefaultValue Kept retention,
    @DefaultValue Inbox inbox,
    @DefaultValue Dispatcher dispatcher,
    @DefaultValue Poller poller,
    @DefaultValue Retry retry,
    @DefaultValue Map<String, Topic> topics,
    @DefaultValue Metrics metrics) {

  /** The settings in the form of the engine. */
  OutboxConfig config(boolean virtualThreads) {
    OutboxConfig config =
        new OutboxConfig()
            .setVirtualThreads(virtualThreads)
            .setPollerEnabled(poller.enabled)
            .setPollerIntervalMs(poller.interval.toMillis())
            .setPollerSkipRecentMs(poller.skipRecent.toMillis())
            .setRetryMaxAttempts(retry.maxAttempts)
            .setRetryBaseDelayMs(retry.baseDelay.toMillis())
            .setRetryMaxDelayMs(retry.maxDelay.toMillis())
            .setUseExponentialBackoff(retry.useExponentialBackoff)
            .setRetryUnreadablePayloads(retry.unreadablePayloads);
    if (poller.batchSize != null) {
      config.setPollerBatchSize(poller.batchSize);
    }
    dispatcher.applyTo(config);
    return config;
  }

  /**
   * The tables.
   *
   * @param initialize whether missing tables are created at the start: always, never, or in
   *     embedded databases only
   */
  public record Schema(@DefaultValue("embedded") DatabaseInitializationMode initialize) {}

  /**
   * Fan-in over events.
   *
   * @param enabled whether joins are counted; wanted on all nodes of a table or on none
   * @param table table of the joins; those of steps and waits begin with its name
   * @param waitTopic topic of the messages that wait for joins; the same on all nodes of a table
   */
  public record Joins(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("outbox_join") String table,
      @DefaultValue(JoinCoordinator.DEFAULT_WAIT_TOPIC) String waitTopic) {

    JdbcJoinStore beside(String events) {
      return new JdbcJoinStore().tableName(events).joinTableName(table).waitTopic(waitTopic);
    }
  }

  /**
   * How long what has ended is kept.
   *
   * @param completed completed events, and with them their idempotency keys
   * @param dead dead letters; for ever by default
   * @param joins joins after their end; for ever by default
   * @param keepForever whether nothing is removed, whatever the ages say
   * @param interval time between two removals of what has ended, of outbox and inbox
   * @param batchSize rows that one transaction removes
   * @param pause shortest time between two batches
   */
  public record Kept(
      @DefaultValue("7d") Duration completed,
      @Nullable Duration dead,
      @Nullable Duration joins,
      @DefaultValue("false") boolean keepForever,
      @DefaultValue("1m") Duration interval,
      @DefaultValue("500") int batchSize,
      @DefaultValue("20ms") Duration pause) {

    Retention ofOutbox() {
      return keepForever
          ? Retention.keepForever()
          : paced(Retention.ofOutbox().completed(completed).dead(dead).joins(joins));
    }

    private Retention paced(Retention ages) {
      return ages.interval(interval).batchSize(batchSize).pause(pause);
    }
  }

  /**
   * The idempotent receiver. It begins to exist when something needs it: an Inbox that is injected,
   * or a listener.
   *
   * @param table table of the messages: a name, or a schema and a name with a dot between
   * @param payloadRetention how long the payload of a processed message is kept
   * @param dedupWindow how long a processed message is recognised
   * @param deadRetention how long a dead letter is kept; for ever by default
   * @param keepForever whether nothing is removed, whatever the ages say
   * @param maxPayloadSize largest payload that the inbox takes
   * @param baseDelay delay after the first failure of a message
   * @param maxDelay longest delay after a failure of a message
   */
  public record Inbox(
      @DefaultValue("outbox_inbox") String table,
      @DefaultValue("7d") Duration payloadRetention,
      @DefaultValue("30d") Duration dedupWindow,
      @Nullable Duration deadRetention,
      @DefaultValue("false") boolean keepForever,
      @DefaultValue("1MB") DataSize maxPayloadSize,
      @DefaultValue("2s") Duration baseDelay,
      @DefaultValue("60s") Duration maxDelay) {

    Retention retention(Kept outbox) {
      return keepForever
          ? Retention.keepForever()
          : outbox.paced(
              Retention.ofInbox()
                  .payloads(payloadRetention)
                  .completed(dedupWindow)
                  .dead(deadRetention));
    }
  }

  /**
   * Running listeners.
   *
   * @param workers threads that run listeners, so the number of events handled at once
   * @param leaseDuration how long an event belongs to this process without renewal, so how long a
   *     crash delays it
   * @param maxHandlingTime how long a listener may run before it is interrupted
   * @param drainTimeout how long shutdown works off what is queued before it gives the rest back,
   *     as long as the database answers
   * @param closeTimeout how long shutdown takes at the most, apart from working off what is queued;
   *     in all if the database does not answer
   * @param hotQueueCapacity events waiting in memory after their commit
   * @param coldQueueCapacity events waiting in memory after they were claimed
   * @param hotQueueSize payload waiting in memory after its commit
   * @param coldQueueSize payload waiting in memory after it was claimed
   * @param flushInterval how long completions are collected under load
   * @param flushBatchSize completions stored by one statement at the most
   * @param maxLeaseExpiries counted lease expiries after which an event ends as poison
   * @param networkTimeout how long the engine waits for an answer of the database
   * @param unhandledDelay how long an event that no listener here knows is left to other nodes
   * @param unhandledMaxAge age from which an event without a listener ends dead
   */
  public record Dispatcher(
      @DefaultValue("4") int workers,
      @DefaultValue("30s") Duration leaseDuration,
      @DefaultValue("10m") Duration maxHandlingTime,
      @DefaultValue("10s") Duration drainTimeout,
      @DefaultValue("3s") Duration closeTimeout,
      @DefaultValue("1000") int hotQueueCapacity,
      @DefaultValue("1000") int coldQueueCapacity,
      @DefaultValue("64MB") DataSize hotQueueSize,
      @DefaultValue("64MB") DataSize coldQueueSize,
      @DefaultValue("50ms") Duration flushInterval,
      @DefaultValue("500") int flushBatchSize,
      @DefaultValue("3") int maxLeaseExpiries,
      @DefaultValue("30s") Duration networkTimeout,
      @DefaultValue("2s") Duration unhandledDelay,
      @DefaultValue("1d") Duration unhandledMaxAge) {

    private void applyTo(OutboxConfig config) {
      config
          .setDispatcherWorkers(workers)
          .setLeaseDuration(leaseDuration)
          .setMaxHandlingTime(maxHandlingTime)
          .setDrainTimeout(drainTimeout)
          .setCloseTimeout(closeTimeout)
          .setHotQueueCapacity(hotQueueCapacity)
          .setColdQueueCapacity(coldQueueCapacity)
          .setHotQueueBytes(hotQueueSize.toBytes())
          .setColdQueueBytes(coldQueueSize.toBytes())
          .setFlushInterval(flushInterval)
          .setFlushBatchSize(flushBatchSize)
          .setMaxLeaseExpiries(maxLeaseExpiries)
          .setNetworkTimeout(networkTimeout)
          .setUnhandledDelay(unhandledDelay)
          .setUnhandledMaxAge(unhandledMaxAge);
    }
  }

  /**
   * Looking into the database.
   *
   * @param enabled whether this node looks for due events; false on nodes that only publish
   * @param interval longest pause between two looks while there is nothing to do
   * @param batchSize events claimed by one statement at the most; 200 by default, 50 for an inbox
   * @param skipRecent age below which rows that a node of schema version 1 wrote are left alone;
   *     matters only during an upgrade from that version
   */
  public record Poller(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("5s") Duration interval,
      @Nullable Integer batchSize,
      @DefaultValue("1s") Duration skipRecent) {}

  /**
   * Failed deliveries.
   *
   * @param maxAttempts deliveries in all; after the last failure the event is dead
   * @param baseDelay delay after the first failure, before jitter
   * @param maxDelay longest delay after a failure, before jitter
   * @param useExponentialBackoff whether the delay doubles with each failure; else it stays
   *     base-delay
   * @param unreadablePayloads whether an event whose payload cannot be read is tried again, because
   *     a newer node may read it; else it is dead at once
   * @param maxAge time after which a failed event is not tried again; no limit by default
   * @param jitter part of each delay that chance adds or takes away, from 0 to 1; by default 0.5 in
   *     the outbox and 0 in the inbox
   * @param never exceptions after which an event is dead at once
   * @param always exceptions after which an event is tried again, whatever the number of attempts
   */
  public record Retry(
      @DefaultValue("10") int maxAttempts,
      @DefaultValue("200ms") Duration baseDelay,
      @DefaultValue("60s") Duration maxDelay,
      @DefaultValue("true") boolean useExponentialBackoff,
      @DefaultValue("true") boolean unreadablePayloads,
      @Nullable Duration maxAge,
      @Nullable Double jitter,
      @DefaultValue List<Class<? extends Throwable>> never,
      @DefaultValue List<Class<? extends Throwable>> always) {}

  /**
   * Settings of one topic, of the outbox and of the inbox. What is not set is as for all topics,
   * except that with one of the two limits the general other one does not hold.
   *
   * @param maxAttempts deliveries in all; after the last failure the event is dead
   * @param maxAge time after which a failed event is not tried again
   * @param baseDelay delay after the first failure, before jitter
   * @param maxDelay longest delay after a failure, before jitter
   * @param useExponentialBackoff whether the delay doubles with each failure
   * @param jitter part of each delay that chance adds or takes away, from 0 to 1
   * @param maxHandlingTime how long a listener may run before it is interrupted
   * @param neverRetry exceptions after which an event is dead at once, beside the general ones
   * @param alwaysRetry exceptions after which an event is tried again whatever the number of
   *     attempts, beside the general ones
   */
  public record Topic(
      @Nullable Integer maxAttempts,
      @Nullable Duration maxAge,
      @Nullable Duration baseDelay,
      @Nullable Duration maxDelay,
      @Nullable Boolean useExponentialBackoff,
      @Nullable Double jitter,
      @Nullable Duration maxHandlingTime,
      @DefaultValue List<Class<? extends Throwable>> neverRetry,
      @DefaultValue List<Class<? extends Throwable>> alwaysRetry) {}

  /**
   * Counters and timers.
   *
   * @param maxTopics topics with a tag of their own; all others share one
   * @param interval how often the database is asked for the gauges of the tables
   */
  public record Metrics(
      @DefaultValue("100") int maxTopics, @DefaultValue("10s") Duration interval) {}
}
