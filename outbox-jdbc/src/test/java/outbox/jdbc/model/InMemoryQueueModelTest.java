package outbox.jdbc.model;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class InMemoryQueueModelTest extends QueueModelContract {
  @Override
  OutboxQueue open() {
    return new InMemoryQueue();
  }
}
