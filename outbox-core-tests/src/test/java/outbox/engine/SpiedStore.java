package outbox.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.Failure;

/** A store that records what it is asked for, and can block one kind of call. */
final class SpiedStore {
  private final LeasedEventStore store;
  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private volatile @Nullable String blocked;
  private final CountDownLatch release = new CountDownLatch(1);

  private record Call(String method, List<@Nullable Object> arguments, int networkTimeout) {}

  SpiedStore(LeasedEventStore target) {
    this(target, method -> {});
  }

  /**
   * A spy that also tells of each call at once.
   *
   * @param onCall takes the name of the method
   */
  SpiedStore(LeasedEventStore target, Consumer<String> onCall) {
    this.store =
        (LeasedEventStore)
            Proxy.newProxyInstance(
                SpiedStore.class.getClassLoader(),
                new Class<?>[] {LeasedEventStore.class},
                (proxy, method, args) -> {
                  if (method.getDeclaringClass() == Object.class) {
                    return method.getName().equals("equals")
                        ? proxy == args[0]
                        : method.invoke(target, args);
                  }
                  calls.add(call(method.getName(), args));
                  onCall.accept(method.getName());
                  if (method.getName().equals(blocked)) {
                    release.await();
                  }
                  try {
                    return method.invoke(target, args);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
  }

  LeasedEventStore store() {
    return store;
  }

  private static Call call(String method, Object @Nullable [] args) throws SQLException {
    if (args == null) {
      return new Call(method, List.of(), 0);
    }
    int timeout = args[0] instanceof Connection connection ? connection.getNetworkTimeout() : 0;
    return new Call(method, new ArrayList<>(Arrays.asList(args)), timeout);
  }

  /** How long the database had to answer each of these calls, in milliseconds. */
  List<Integer> networkTimeouts(String method) {
    return calls.stream()
        .filter(call -> call.method().equals(method))
        .map(Call::networkTimeout)
        .toList();
  }

  void block(String method) {
    blocked = method;
  }

  void unblock() {
    release.countDown();
  }

  int count(String method) {
    return arguments(method, 0, Object.class).size();
  }

  List<ClaimRequest> claims() {
    return arguments("claim", 1, ClaimRequest.class);
  }

  /** The delays after which the event was to be retried, in order. */
  List<Duration> retryDelays(String eventId) {
    return collections("abandon")
        .flatMap(Collection::stream)
        .map(Failure.class::cast)
        .filter(failure -> failure.eventId().equals(eventId))
        .map(Failure::delay)
        .toList();
  }

  /** How many events each of these calls was about. */
  List<Integer> sizes(String method) {
    return collections(method).map(Collection::size).toList();
  }

  private Stream<Collection<?>> collections(String method) {
    return arguments(method, 2, Object.class).stream().map(argument -> (Collection<?>) argument);
  }

  <A> List<A> arguments(String method, int index, Class<A> type) {
    return calls.stream()
        .filter(call -> call.method().equals(method))
        .map(call -> type.cast(call.arguments().get(index)))
        .toList();
  }
}
