package outbox.jdbc.model;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.inbox.InboxStatus;
import outbox.jdbc.model.Queue.Claimed;
import outbox.jdbc.model.Queue.Draft;
import outbox.model.EventStatus;

/** What an inbox is to do, in as few words as can be: a queue in which a message has a key. */
final class InboxModel implements InboxBook {
  private final QueueModel queue = new QueueModel(false);
  private final Map<String, Message> messages = new TreeMap<>();

  /** A message, and what the queue knows of it; without content it is nothing for the queue. */
  private static final class Message {
    private final ModelMessage event;
    private @Nullable InboxStatus withoutContent = InboxStatus.SEEN;
    private @Nullable String topic;
    private @Nullable String payload;
    private @Nullable String hash;
    private int contentVersion = 1;
    private Instant lastSeen;

    Message(String key, Instant now) {
      this.event = new ModelMessage(new Draft(key, null, null), now);
      this.event.status = EventStatus.DEAD;
      this.lastSeen = now;
    }

    InboxStatus status() {
      if (withoutContent != null) {
        return withoutContent;
      }
      return switch (event.status) {
        case NEW, RETRY, WAITING -> InboxStatus.PROCESSING;
        case DONE -> InboxStatus.DONE;
        case DEAD -> InboxStatus.DEAD;
      };
    }

    boolean isOpen() {
      return status() == InboxStatus.SEEN || status() == InboxStatus.PROCESSING;
    }

    void fill(Content content, Instant now) {
      write(content, now);
      withoutContent = null;
      event.status = EventStatus.NEW;
      event.availableAt = event.notBeforeDue(now);
    }

    private void write(Content content, Instant now) {
      topic = content.topic();
      payload = content.payload();
      hash = content.hash();
      event.dueAt = content.due() == null ? null : now.plus(content.due());
    }

    /** A worker that has other content keeps its time, but not its lease. */
    void replace(Content content, Instant now) {
      boolean same = content.topic().equals(topic) && content.payload().equals(payload);
      Instant dueBefore = event.dueAt;
      write(content, now);
      if (event.isLive() && !Objects.equals(dueBefore, event.dueAt)) {
        boolean waited = event.owner == null && event.attempts == 0;
        boolean later = event.availableAt.isAfter(now);
        event.availableAt = event.notBeforeDue(waited && later ? now : event.availableAt);
      }
      if (!same) {
        contentVersion++;
        event.owner = event.owner == null ? null : StoredInboxes.NO_OWNER;
        event.forgetLeases();
      }
    }

    /** By hash if both have one, otherwise by what is stored. */
    boolean differsFrom(Content content) {
      return (hash != null && content.hash() != null)
          ? !hash.equals(content.hash())
          : payload != null && !payload.equals(content.payload());
    }

    Kept kept() {
      return new Kept(
          event.row(),
          messageText(status(), topic, payload, hash, contentVersion, lastSeen, event.dueAt));
    }
  }

  static String messageText(
      InboxStatus status,
      @Nullable String topic,
      @Nullable String payload,
      @Nullable String hash,
      int contentVersion,
      Instant lastSeen,
      @Nullable Instant due) {
    return String.format(
        "%s %s %s hash=%s version=%d seen=%s due=%s",
        status, topic, payload, hash, contentVersion, lastSeen, due);
  }

  static String claimedText(String key, int contentVersion, String payload, int attempt) {
    return key + " version=" + contentVersion + " " + payload + " attempt=" + attempt;
  }

  @Override
  public void choosesAsIn(Map<String, Kept> table) {
    Map<String, Row> events = new HashMap<>();
    table.forEach((key, kept) -> events.put(key, kept.event()));
    queue.choosesAsIn(events);
  }

  @Override
  public Instant tick(Duration by) {
    return queue.tick(by);
  }

  @Override
  public String receive(String key, Content content, boolean given) {
    boolean known = messages.containsKey(key);
    Message message = seen(key);
    InboxStatus before = message.status();
    boolean differs = known && message.differsFrom(content);
    if (message.withoutContent != null) {
      message.fill(content, queue.now());
      return "NEW " + differs;
    }
    return (before == InboxStatus.PROCESSING ? "DUPLICATE" : before) + " " + differs;
  }

  /** Without an answer; what is done stays as it is, what is dead stays dead. */
  @Override
  public String enqueue(String key, Content content, boolean given) {
    Message message = seen(key);
    if (message.withoutContent != null) {
      message.fill(content, queue.now());
    } else if (message.status() != InboxStatus.DONE) {
      message.replace(content, queue.now());
    }
    return "done";
  }

  @Override
  public boolean alreadyProcessed(String key, @Nullable String hash, boolean given) {
    Message message = seen(key);
    message.hash = message.hash == null ? hash : message.hash;
    return message.status() == InboxStatus.DONE;
  }

  /** Every call that brings a message moves the time at which it was last seen. */
  private Message seen(String key) {
    Message message = messages.get(key);
    if (message == null) {
      message = new Message(key, queue.now());
      messages.put(key, message);
      queue.put(message.event);
    }
    message.lastSeen = queue.now();
    return message;
  }

  @Override
  public boolean markProcessing(String key) {
    Message message = messages.get(key);
    if (message == null || message.status() != InboxStatus.SEEN) {
      return false;
    }
    message.withoutContent = InboxStatus.PROCESSING;
    return true;
  }

  @Override
  public boolean markProcessed(String key, boolean given) {
    Message message = messages.get(key);
    if (message == null || !message.isOpen()) {
      return false;
    }
    message.withoutContent = null;
    message.event.done(queue.now());
    return true;
  }

  @Override
  public boolean markDead(String key) {
    Message message = messages.get(key);
    if (message == null || !message.isOpen()) {
      return false;
    }
    message.withoutContent = null;
    message.event.leave();
    message.event.status = EventStatus.DEAD;
    message.event.availableAt = queue.now();
    return true;
  }

  @Override
  public int replay(Collection<String> keys) {
    int replayed = 0;
    for (String key : Set.copyOf(keys)) {
      Message message = messages.get(key);
      if (message != null && message.status() == InboxStatus.DEAD) {
        message.withoutContent = message.topic == null ? InboxStatus.SEEN : null;
        message.event.status = message.topic == null ? EventStatus.DEAD : EventStatus.NEW;
        message.event.attempts = 0;
        message.event.forgetLeases();
        message.event.dueAt = message.event.notBeforeDue(queue.now());
        message.event.availableAt = message.event.dueAt;
        replayed++;
      }
    }
    return replayed;
  }

  @Override
  public List<String> claim(String owner, Duration lease, int batchSize) {
    return queue.claim(owner, lease, batchSize).stream().map(this::text).sorted().toList();
  }

  private String text(Claimed claimed) {
    Message message = Objects.requireNonNull(messages.get(claimed.id()));
    return claimedText(
        claimed.id(),
        message.contentVersion,
        String.valueOf(message.payload),
        claimed.retryCount());
  }

  @Override
  public List<String> ack(String owner, Collection<Held> held) {
    return List.copyOf(queue.ack(owner, current(held)));
  }

  @Override
  public List<String> abandon(
      String owner, Collection<Held> held, @Nullable String error, @Nullable Duration delay) {
    return List.copyOf(queue.abandon(owner, current(held), error, delay));
  }

  @Override
  public List<String> fail(String owner, Collection<Held> held, String error) {
    return List.copyOf(queue.fail(owner, current(held), error));
  }

  /** The fence: those whose content is still what the worker knows. */
  private List<String> current(Collection<Held> held) {
    return held.stream()
        .filter(
            each -> {
              Message message = messages.get(each.key());
              return message != null && message.contentVersion == each.contentVersion();
            })
        .map(Held::key)
        .distinct()
        .toList();
  }

  @Override
  public int reapExpired() {
    return queue.reapExpired();
  }

  @Override
  public Map<String, Kept> rows() {
    Map<String, Kept> rows = new TreeMap<>();
    messages.forEach((key, message) -> rows.put(key, message.kept()));
    return rows;
  }
}
