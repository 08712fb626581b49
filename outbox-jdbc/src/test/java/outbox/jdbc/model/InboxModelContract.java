package outbox.jdbc.model;

import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.jdbc.model.InboxBook.Kept;

/** An inbox whose database fails now and then: an operation is done as a whole or not. */
abstract class InboxModelContract extends ModelContract<Kept, InboxBook> {
  @SuppressWarnings("NullAway.Init")
  private StoredInboxes inboxes;

  abstract StoredInboxes open();

  @BeforeEach
  final void openInboxes() {
    inboxes = open();
  }

  @AfterEach
  final void closeInboxes() {
    if (inboxes != null) {
      inboxes.close();
    }
  }

  @Override
  final Comparison<Kept, InboxBook> begin(long seed) {
    inboxes.startAfresh();
    return new Comparison<>(inboxes, new InboxModel());
  }

  @Override
  final Function<InboxBook, Step<InboxBook>> dice(long seed) {
    return new RandomInboxSteps(seed)::next;
  }

  @Test
  @Spec({"IBX-004", "IBX-005", "IBX-014", "IBX-028", "IBX-029", "IBX-045", "IBX-102", "IBX-104"})
  void theInboxDoesWhatItsModelDoes() {
    playRandomly(4, 150);
  }
}
