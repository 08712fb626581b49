package outbox.testing;

import java.util.List;
import java.util.stream.Collectors;
import org.assertj.core.api.AbstractAssert;
import outbox.model.EventStatus;

/** Assertions about {@link PublishedEvents}. A message of a failure shows all events. */
public final class PublishedEventsAssert
    extends AbstractAssert<PublishedEventsAssert, PublishedEvents> {

  PublishedEventsAssert(PublishedEvents events) {
    super(events, PublishedEventsAssert.class);
  }

  /** Verifies that there is an event of the topic; the result narrows down which. */
  public PublishedTopicAssert contains(String topic) {
    List<PublishedEvent> all = all();
    List<PublishedEvent> found = all.stream().filter(each -> each.topic().equals(topic)).toList();
    if (found.isEmpty()) {
      throw failure("%nExpecting an event of topic%n  %s%nbut %s", topic, shown(all));
    }
    PublishedTopicAssert result = new PublishedTopicAssert(this, topic, found);
    return descriptionText().isEmpty() ? result : result.as(descriptionText());
  }

  /** Verifies that there is no event of the topic. */
  public PublishedEventsAssert doesNotContain(String topic) {
    List<PublishedEvent> all = all();
    if (all.stream().anyMatch(each -> each.topic().equals(topic))) {
      throw failure("%nExpecting no event of topic%n  %s%nbut %s", topic, shown(all));
    }
    return this;
  }

  /** Verifies that there is one event of each of these topics, in this order, and no other. */
  public PublishedEventsAssert containsExactly(String... topics) {
    List<PublishedEvent> all = all();
    List<String> expected = List.of(topics);
    if (!all.stream().map(PublishedEvent::topic).toList().equals(expected)) {
      throw failure("%nExpecting events of exactly the topics%n  %s%nbut %s", expected, shown(all));
    }
    return this;
  }

  /** Verifies that there are so many events. */
  public PublishedEventsAssert hasSize(int size) {
    List<PublishedEvent> all = all();
    if (all.size() != size) {
      throw failure("%nExpecting %d events%nbut %s", size, shown(all));
    }
    return this;
  }

  /** Verifies that there is no event. */
  public PublishedEventsAssert isEmpty() {
    List<PublishedEvent> all = all();
    if (!all.isEmpty()) {
      throw failure("%nExpecting no event%nbut %s", shown(all));
    }
    return this;
  }

  /** Verifies that the listeners of all events have returned. */
  public PublishedEventsAssert areDone() {
    List<PublishedEvent> all = all();
    if (all.stream().anyMatch(each -> each.status() != EventStatus.DONE)) {
      throw failure("%nExpecting all events to be DONE%nbut %s", shown(all));
    }
    return this;
  }

  private List<PublishedEvent> all() {
    isNotNull();
    return actual.all();
  }

  static String shown(List<PublishedEvent> events) {
    return events.isEmpty()
        ? "there are none"
        : events.stream()
            .map(PublishedEvent::toString)
            .collect(
                Collectors.joining(
                    "\n  ", events.size() == 1 ? "there is\n  " : "there are\n  ", ""));
  }
}
