package outbox.internal.broker;

/** What became of an event that was handed to a broker. */
public sealed interface Forwarded {
  Sent SENT = new Sent();

  /** The broker has confirmed it. */
  record Sent() implements Forwarded {}

  /** No broker will ever take it as it is, such as one that is too large: the event is dead. */
  record Refused(String reason, Throwable cause) implements Forwarded {}

  /** The broker cannot be reached or takes nothing now. Not the fault of the event. */
  record Unavailable(Throwable cause) implements Forwarded {}

  /** Anything else: the event is tried again by the retry rules of its topic. */
  record Failed(Throwable cause) implements Forwarded {}
}
