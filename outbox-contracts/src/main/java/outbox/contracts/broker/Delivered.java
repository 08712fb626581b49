package outbox.contracts.broker;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import outbox.contracts.broker.BrokerUnderTest.Arrival;

/** What arrived at a destination, compared with what was published. */
record Delivered(Set<String> ids, int duplicates, List<Arrival> arrivals) {

  static Delivered of(List<Arrival> arrivals) {
    Set<String> ids = new LinkedHashSet<>();
    arrivals.forEach(arrival -> ids.add(arrival.eventId()));
    return new Delivered(ids, arrivals.size() - ids.size(), arrivals);
  }

  /** How often an event arrived for the first time after a later one of its key. */
  int overtakings() {
    Map<String, Long> last = new HashMap<>();
    Set<String> seen = new LinkedHashSet<>();
    int overtakings = 0;
    for (Arrival arrival : arrivals) {
      String key = arrival.key();
      if (key != null && seen.add(arrival.eventId())) {
        long number = Long.parseLong(arrival.payload());
        if (last.merge(key, number, Math::max) > number) {
          overtakings++;
        }
      }
    }
    return overtakings;
  }
}
