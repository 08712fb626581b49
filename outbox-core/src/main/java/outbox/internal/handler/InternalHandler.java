package outbox.internal.handler;

/** Marks a handler of the library's own messages, which no metric counts as deliveries. */
public interface InternalHandler {}
