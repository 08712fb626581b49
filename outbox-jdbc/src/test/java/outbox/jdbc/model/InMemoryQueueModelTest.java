package outbox.jdbc.model;

class InMemoryQueueModelTest extends QueueModelContract {
  @Override
  OutboxQueue open() {
    return new InMemoryQueue();
  }
}
