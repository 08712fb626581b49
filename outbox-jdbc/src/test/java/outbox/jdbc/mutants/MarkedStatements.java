package outbox.jdbc.mutants;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A driver in front of all others that notes which marked statements are executed, and which of
 * them the database refuses as no valid SQL. Thread-safe.
 */
public final class MarkedStatements implements Driver {
  private static final Pattern MARK = Pattern.compile("/\\* sql (\\S+) \\*/");

  /** Of H2: objects that are closed, locks and the like say nothing about the statement. */
  private static final Set<String> STATES_OF_H2 =
      Set.of("90016", "90022", "90052", "90054", "90068", "90083");

  /** Whether this thread asks the other drivers. */
  private static final ThreadLocal<Boolean> ASKING = ThreadLocal.withInitial(() -> false);

  private final Set<String> executed = ConcurrentHashMap.newKeySet();
  private final Map<String, String> refused = new ConcurrentHashMap<>();

  private MarkedStatements() {}

  /** Must be the first driver of the JVM: the first one that knows a URL makes its connections. */
  public static MarkedStatements install() {
    MarkedStatements watch = new MarkedStatements();
    try {
      DriverManager.registerDriver(watch);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return watch;
  }

  static String mark(String name) {
    return "/* sql " + name + " */";
  }

  /** What was executed since it was asked the last time. */
  public Set<String> executed() {
    return drained(executed);
  }

  /** What was refused since it was asked the last time: the SQL state and the message by name. */
  public Map<String, String> refused() {
    Map<String, String> copy = Map.copyOf(refused);
    refused.keySet().removeAll(copy.keySet());
    return copy;
  }

  private static Set<String> drained(Set<String> names) {
    Set<String> copy = Set.copyOf(names);
    names.removeAll(copy);
    return copy;
  }

  @Override
  public @Nullable Connection connect(String url, Properties info) throws SQLException {
    Driver driver = driverOf(url);
    Connection connection = driver == null ? null : driver.connect(url, info);
    return connection == null ? null : watched(connection);
  }

  @Override
  public boolean acceptsURL(String url) throws SQLException {
    return driverOf(url) != null;
  }

  private @Nullable Driver driverOf(String url) throws SQLException {
    if (ASKING.get()) {
      return null;
    }
    ASKING.set(true);
    try {
      for (Iterator<Driver> all = DriverManager.drivers().iterator(); all.hasNext(); ) {
        Driver driver = all.next();
        if (driver != this && driver.acceptsURL(url)) {
          return driver;
        }
      }
      return null;
    } finally {
      ASKING.remove();
    }
  }

  private Connection watched(Connection connection) {
    return proxy(
        Connection.class,
        connection,
        (call, result) -> {
          String name = call.name();
          return name != null && result instanceof PreparedStatement statement
              ? watched(statement, name)
              : result;
        },
        (call, failure) -> {
          String name = call.name();
          if (name != null) {
            note(name, failure);
          }
        });
  }

  private PreparedStatement watched(PreparedStatement statement, String name) {
    return proxy(
        PreparedStatement.class,
        statement,
        (call, result) -> {
          if (call.method().getName().startsWith("execute")) {
            executed.add(name);
          }
          return result;
        },
        (call, failure) -> note(name, failure));
  }

  private void note(String name, SQLException failure) {
    executed.add(name);
    String state = failure.getSQLState();
    if (state != null && isRefusal(state)) {
      refused.putIfAbsent(name, state + " " + failure.getMessage());
    }
  }

  /** 42501 is a missing right, which a statement can lack by its mutation. */
  private static boolean isRefusal(String state) {
    return (state.startsWith("42") && !state.equals("42501"))
        || state.startsWith("0A")
        || state.startsWith("07")
        || STATES_OF_H2.contains(state);
  }

  /**
   * A call of a JDBC object.
   *
   * @param name that of the statement that it prepares, if that has one
   */
  private record Call(Method method, @Nullable String name) {
    private static Call of(Method method, @Nullable Object @Nullable [] args) {
      if (args == null || args.length == 0 || !(args[0] instanceof String sql)) {
        return new Call(method, null);
      }
      Matcher mark = MARK.matcher(sql);
      return new Call(method, mark.find() ? mark.group(1) : null);
    }
  }

  private interface Result {
    @Nullable Object of(Call call, @Nullable Object result);
  }

  private interface Failure {
    void note(Call call, SQLException failure);
  }

  private static <T> T proxy(Class<T> type, T target, Result result, Failure failure) {
    InvocationHandler handler =
        (proxy, method, args) -> {
          if (method.getName().equals("equals")) {
            return proxy == args[0];
          }
          Call call = Call.of(method, args);
          try {
            return result.of(call, method.invoke(target, args));
          } catch (InvocationTargetException e) {
            if (e.getCause() instanceof SQLException cause) {
              failure.note(call, cause);
            }
            throw requireNonNull(e.getCause());
          }
        };
    return type.cast(
        Proxy.newProxyInstance(
            MarkedStatements.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
    return new DriverPropertyInfo[0];
  }

  @Override
  public int getMajorVersion() {
    return 1;
  }

  @Override
  public int getMinorVersion() {
    return 0;
  }

  @Override
  public boolean jdbcCompliant() {
    return false;
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getGlobal();
  }
}
