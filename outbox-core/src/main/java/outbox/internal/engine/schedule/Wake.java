package outbox.internal.engine.schedule;

/** Which pollers a commit wakes if its event does not go through this process's memory. */
public enum Wake {
  NONE,
  OTHER_NODES,
  ALL_NODES
}
