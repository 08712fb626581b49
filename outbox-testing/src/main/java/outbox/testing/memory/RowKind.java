package outbox.testing.memory;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.model.DeadLetter;
import outbox.model.EventStatus;

/** What the rows of a table are. */
enum RowKind {
  EVENTS {
    @Override
    boolean isDead(StoredEvent row) {
      return row.status() == EventStatus.DEAD;
    }

    @Override
    boolean isUnseen(StoredEvent row, Instant since) {
      return true;
    }

    @Override
    @Nullable String source(DeadLetter letter) {
      return null;
    }

    @Override
    StoredEvent moved(StoredEvent to) {
      return to;
    }

    @Override
    int contentVersion(StoredEvent row) {
      return 1;
    }
  },

  MESSAGES {
    @Override
    boolean isDead(StoredEvent row) {
      return InboxRow.of(row).message().status() == InboxStatus.DEAD;
    }

    @Override
    boolean isUnseen(StoredEvent row, Instant since) {
      return InboxRow.of(row).message().lastSeen().isBefore(since);
    }

    @Override
    String source(DeadLetter letter) {
      return InboxMessage.of(letter).source();
    }

    @Override
    StoredEvent moved(StoredEvent to) {
      boolean withoutContent = to.status().isLive() && InboxRow.of(to).topic() == null;
      return withoutContent ? InboxRow.of(to).seenOnly().stored() : to;
    }

    @Override
    int contentVersion(StoredEvent row) {
      return InboxRow.of(row).message().contentVersion();
    }
  };

  abstract boolean isDead(StoredEvent row);

  abstract boolean isUnseen(StoredEvent row, Instant since);

  abstract @Nullable String source(DeadLetter letter);

  abstract StoredEvent moved(StoredEvent to);

  abstract int contentVersion(StoredEvent row);
}
