package outbox.internal.engine.handling;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.common.Errors;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.engine.delivery.Outcome.Dead;
import outbox.internal.engine.delivery.Outcome.Defer;
import outbox.internal.engine.delivery.Outcome.Done;
import outbox.internal.engine.delivery.Outcome.Retry;
import outbox.internal.text.LogText;
import outbox.model.ListenerStates;
import outbox.registry.NamedListener;

/**
 * Which listeners of a delivery are to run, what became of each of them, and what that makes of the
 * event. Those that an earlier delivery recorded as done or dead do not run again. Used by one
 * worker.
 */
final class Attempt {
  private static final String ERROR = ": ";
  private static final int MAX_ERROR_OF_MANY = 1_000;

  private final ListenerStates before;
  private final List<NamedListener> toRun;
  private final List<NamedListener> dead;
  private final @Nullable Outcome[] outcomes;

  /** Whether the event has one listener only, and that has no name. */
  private final boolean unnamed;

  Attempt(ListenerStates before, List<NamedListener> listeners) {
    this.before = before;
    this.unnamed = listeners.size() == 1 && listeners.get(0).isUnnamed();
    if (before.byName().isEmpty()) {
      this.toRun = listeners;
      this.dead = List.of();
    } else {
      this.toRun = notDone(listeners);
      this.dead = listeners.stream().filter(each -> isDead(stateOf(each))).toList();
    }
    this.outcomes = new Outcome[toRun.size()];
  }

  /**
   * Those that failed come last: one that uses up the longest handling time at each delivery must
   * not keep the others from their turn.
   */
  private List<NamedListener> notDone(List<NamedListener> listeners) {
    List<NamedListener> first = new ArrayList<>();
    List<NamedListener> last = new ArrayList<>();
    for (NamedListener each : listeners) {
      String state = stateOf(each);
      if (!state.equals(ListenerStates.DONE) && !isDead(state)) {
        (state.isEmpty() ? first : last).add(each);
      }
    }
    first.addAll(last);
    return first;
  }

  private String stateOf(NamedListener listener) {
    return before.byName().getOrDefault(listener.name(), "");
  }

  private static boolean isDead(String state) {
    return state.startsWith(ListenerStates.DEAD);
  }

  /** Those that run outside of any transaction, in their order. */
  List<NamedListener> plain() {
    return chosen(false);
  }

  /** Those that run in a transaction, after the plain ones, in their order. */
  List<NamedListener> transactional() {
    return chosen(true);
  }

  private List<NamedListener> chosen(boolean transactional) {
    List<NamedListener> chosen = new ArrayList<>(0);
    for (NamedListener each : toRun) {
      if (Invocation.isTransactional(each.listener()) == transactional) {
        chosen.add(each);
      }
    }
    return chosen;
  }

  /** Names the listener in a log line; empty if it has no name. */
  String logged(NamedListener listener) {
    return unnamed ? "" : " listener=" + LogText.of(listener.name());
  }

  private String label(NamedListener listener) {
    return unnamed ? "" : "[" + listener.name() + "] ";
  }

  /** Says what became of a listener; null if that was rolled back. */
  void ended(NamedListener listener, @Nullable Outcome outcome) {
    outcomes[toRun.indexOf(listener)] = outcome;
  }

  /** Whether a listener failed, so that this counts as a failed delivery. */
  boolean hasFailed() {
    for (Outcome outcome : outcomes) {
      if (outcome instanceof Retry || outcome instanceof Dead) {
        return true;
      }
    }
    return false;
  }

  /**
   * What becomes of the event. It comes again as long as a listener is to run again, after the
   * longest delay that any of them asks for, and counts an attempt if any failed. When none is left
   * to run, it is dead if any is, else done.
   */
  Outcome outcome() {
    Duration delay = Duration.ZERO;
    boolean again = false;
    boolean died = !dead.isEmpty();
    for (Outcome outcome : outcomes) {
      again |= !(outcome instanceof Done || outcome instanceof Dead);
      died |= outcome instanceof Dead;
      Duration asked = delayOf(outcome);
      delay = asked.compareTo(delay) > 0 ? asked : delay;
    }
    if (again) {
      return hasFailed() ? new Retry(delay, error(), states()) : new Defer(delay, false, states());
    }
    return died ? new Dead(reason(), error(), lastStates()) : Outcome.DONE;
  }

  private static Duration delayOf(@Nullable Outcome outcome) {
    if (outcome instanceof Retry retry) {
      return retry.delay();
    }
    return outcome instanceof Defer defer ? defer.delay() : Duration.ZERO;
  }

  /**
   * What the store is to keep of the listeners; null if there is nothing to keep. Told also if it
   * seems to be known: what an attempt stored may have been rolled back.
   */
  private @Nullable String states() {
    return unnamed ? null : stored(statesByName());
  }

  /** For an event that is dead itself: its replay runs all listeners that are not done. */
  private @Nullable String lastStates() {
    if (unnamed) {
      return null;
    }
    Map<String, String> states = statesByName();
    states.replaceAll((name, state) -> isDead(state) ? ListenerStates.FAILED : state);
    return stored(states);
  }

  private @Nullable String stored(Map<String, String> states) {
    return states.isEmpty() ? null : new ListenerStates(states).text();
  }

  private Map<String, String> statesByName() {
    Map<String, String> states = new LinkedHashMap<>(before.byName());
    for (int i = 0; i < outcomes.length; i++) {
      String name = toRun.get(i).name();
      Outcome outcome = outcomes[i];
      if (outcome instanceof Done) {
        states.put(name, ListenerStates.DONE);
      } else if (outcome instanceof Retry) {
        states.put(name, ListenerStates.FAILED);
      } else if (outcome instanceof Dead death) {
        String error = Errors.cut(death.error(), MAX_ERROR_OF_MANY);
        states.put(name, ListenerStates.DEAD + ERROR + error);
      }
    }
    return states;
  }

  private String error() {
    List<String> errors = new ArrayList<>();
    for (int i = 0; i < outcomes.length; i++) {
      if (outcomes[i] instanceof Retry retry) {
        errors.add(label(toRun.get(i)) + retry.error());
      } else if (outcomes[i] instanceof Dead death) {
        errors.add(label(toRun.get(i)) + death.error());
      }
    }
    for (NamedListener each : dead) {
      String state = stateOf(each);
      int error = state.indexOf(ERROR);
      errors.add(label(each) + (error < 0 ? state : state.substring(error + ERROR.length())));
    }
    if (errors.size() > 1) {
      errors.replaceAll(each -> Errors.cut(each, MAX_ERROR_OF_MANY));
    }
    return String.join("; ", errors);
  }

  /** Without anything that an exception says. */
  private String reason() {
    List<String> reasons = new ArrayList<>();
    for (int i = 0; i < outcomes.length; i++) {
      if (outcomes[i] instanceof Dead death) {
        reasons.add(label(toRun.get(i)) + death.reason());
      }
    }
    dead.forEach(each -> reasons.add(label(each) + "failed for good in an earlier delivery"));
    return String.join("; ", reasons);
  }
}
