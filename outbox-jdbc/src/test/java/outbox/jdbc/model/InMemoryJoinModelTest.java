package outbox.jdbc.model;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class InMemoryJoinModelTest extends JoinModelContract {
  @Override
  StoredJoins open() {
    return new InMemoryJoins();
  }
}
