package outbox.demo;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import outbox.demo.Books.Row;
import outbox.model.EventStatus;

/** Holds what the demo saw of each order against what the database says. Immutable. */
final class Account {
  private static final int EXAMPLES = 3;

  private final Map<String, OrderStory> stories;
  private final Books books;
  private final List<String> discrepancies = new ArrayList<>();

  Account(Map<String, OrderStory> stories, Books books) {
    this.stories = Map.copyOf(stories);
    this.books = books;
    compareOrders();
    compareEvents();
    compareDeliveries();
  }

  boolean balances() {
    return discrepancies.isEmpty();
  }

  /** What is off, a sentence each; empty if the account balances. */
  List<String> discrepancies() {
    return List.copyOf(discrepancies);
  }

  Books books() {
    return books;
  }

  int count(Predicate<OrderStory> which) {
    return (int) stories.values().stream().filter(which).count();
  }

  int sum(ToIntFunction<OrderStory> number) {
    return stories.values().stream().mapToInt(number).sum();
  }

  private void compareOrders() {
    Set<String> committed =
        stories.values().stream()
            .filter(OrderStory::isCommitted)
            .map(OrderStory::orderId)
            .collect(Collectors.toSet());
    report("committed, but missing in the table orders", minus(committed, books.orders()));
    report("in the table orders, but never committed", minus(books.orders(), committed));
  }

  private void compareEvents() {
    Set<String> announced =
        books.events().values().stream().map(Row::orderId).collect(Collectors.toSet());
    report("without an event in outbox_event", minus(books.orders(), announced));
    report("with an event in outbox_event, but not in orders", minus(announced, books.orders()));
    reportRows("still pending", row -> row.status().isLive());
    int surplus = books.events().size() - announced.size();
    if (surplus != 0) {
      discrepancies.add(surplus + " more events than orders in outbox_event");
    }
  }

  private void compareDeliveries() {
    reportStories("rolled back, but delivered", s -> s.isRolledBack() && s.isDelivered());
    reportStories("delivered, but never published", s -> s.end() == OrderStory.End.UNKNOWN);
    reportStories("delivered twice without a crash", s -> s.unexplainedRepeats() > 0);
    Set<String> done = idsOf(EventStatus.DONE);
    Set<String> dead = idsOf(EventStatus.DEAD);
    Set<String> delivered = idsOf(OrderStory::isDelivered);
    report("DONE in the database, but never delivered", orders(minus(done, delivered)));
    report("delivered, but not DONE in the database", orders(minus(delivered, done)));
    Set<String> givenUp = idsOf(OrderStory::isGivenUp);
    report("DEAD in the database, but no delivery failed", orders(minus(dead, givenUp)));
    report("given up after failures, but not DEAD in the database", orders(minus(givenUp, dead)));
  }

  private Set<String> idsOf(EventStatus status) {
    return books.events().entrySet().stream()
        .filter(e -> e.getValue().status() == status)
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private Set<String> idsOf(Predicate<OrderStory> which) {
    return stories.entrySet().stream()
        .filter(e -> which.test(e.getValue()))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  private Set<String> orders(Collection<String> eventIds) {
    return eventIds.stream()
        .map(id -> stories.containsKey(id) ? stories.get(id).orderId() : "of event " + id)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> minus(Set<String> all, Set<String> some) {
    Set<String> rest = new TreeSet<>(all);
    rest.removeAll(some);
    return rest;
  }

  private void reportStories(String what, Predicate<OrderStory> which) {
    report(
        what,
        stories.values().stream()
            .filter(which)
            .map(OrderStory::orderId)
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  private void reportRows(String what, Predicate<Row> which) {
    report(
        what,
        books.events().values().stream()
            .filter(which)
            .map(Row::orderId)
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  private void report(String what, Set<String> orders) {
    if (!orders.isEmpty()) {
      String examples = orders.stream().limit(EXAMPLES).collect(Collectors.joining(", "));
      String more = orders.size() > EXAMPLES ? ", ..." : "";
      discrepancies.add(orders.size() + " orders " + what + ": " + examples + more);
    }
  }
}
