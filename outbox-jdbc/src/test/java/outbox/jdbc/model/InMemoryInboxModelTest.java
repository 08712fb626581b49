package outbox.jdbc.model;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class InMemoryInboxModelTest extends InboxModelContract {
  @Override
  StoredInboxes open() {
    return new InMemoryInboxes();
  }
}
