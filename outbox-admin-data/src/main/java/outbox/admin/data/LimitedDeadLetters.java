package outbox.admin.data;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import outbox.DeadLetters;

/** Dead letters that say so if a statement was stopped at its time limit. */
final class LimitedDeadLetters {
  private LimitedDeadLetters() {}

  static DeadLetters of(DeadLetters letters, Duration limit) {
    return (DeadLetters)
        Proxy.newProxyInstance(
            LimitedDeadLetters.class.getClassLoader(),
            new Class<?>[] {DeadLetters.class},
            (proxy, method, arguments) ->
                Looks.limited(
                    limit,
                    () -> {
                      try {
                        return method.invoke(letters, arguments);
                      } catch (InvocationTargetException e) {
                        if (e.getCause() instanceof RuntimeException cause) {
                          throw cause;
                        }
                        throw new UndeclaredThrowableException(e.getCause());
                      } catch (IllegalAccessException e) {
                        throw new IllegalStateException(e);
                      }
                    }));
  }
}
