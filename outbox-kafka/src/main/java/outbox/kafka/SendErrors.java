package outbox.kafka;

import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import outbox.internal.broker.Forwarded;

/** Tells the errors of a send apart. */
final class SendErrors {
  private SendErrors() {}

  static Forwarded judge(Throwable thrown) {
    Throwable error =
        thrown instanceof ExecutionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    if (isOfTheRecord(error)) {
      return new Forwarded.Refused("Kafka refuses the record: " + error.getMessage(), error);
    }
    if (isUnknownTopic(error)) {
      return new Forwarded.Failed(error);
    }
    return isOfTheBroker(error) ? new Forwarded.Unavailable(error) : new Forwarded.Failed(error);
  }

  /** Trying again cannot help. */
  private static boolean isOfTheRecord(Throwable error) {
    return error instanceof RecordTooLargeException
        || error instanceof RecordBatchTooLargeException
        || error instanceof InvalidTopicException
        || error instanceof InvalidRecordException
        || error instanceof InvalidTimestampException;
  }

  /** Kafka counts it as retriable; but an outage is another thing than a topic that is missing. */
  private static boolean isUnknownTopic(Throwable error) {
    return error instanceof UnknownTopicOrPartitionException
        || error.getCause() instanceof UnknownTopicOrPartitionException;
  }

  /** The next event would fare no better, and an operator or time will change it. */
  private static boolean isOfTheBroker(Throwable error) {
    return error instanceof RetriableException
        || error instanceof AuthenticationException
        || error instanceof AuthorizationException
        || error instanceof InterruptException
        || error instanceof InterruptedException;
  }
}
