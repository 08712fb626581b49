package outbox.jdbc.model;

class InMemoryJoinModelTest extends JoinModelContract {
  @Override
  StoredJoins open() {
    return new InMemoryJoins();
  }
}
