package outbox.jdbc.model;

class InMemoryInboxModelTest extends InboxModelContract {
  @Override
  StoredInboxes open() {
    return new InMemoryInboxes();
  }
}
