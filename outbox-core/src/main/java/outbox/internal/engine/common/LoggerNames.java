package outbox.internal.engine.common;

/** Names of the engine's loggers: operators filter by them, so they do not follow the classes. */
public final class LoggerNames {
  public static final String DISPATCHER = "outbox.dispatch.OutboxDispatcher";
  public static final String POLLER = "outbox.dispatch.StorePoller";
  public static final String HEALTH = "outbox.dispatch.DatabaseHealth";

  private LoggerNames() {}
}
