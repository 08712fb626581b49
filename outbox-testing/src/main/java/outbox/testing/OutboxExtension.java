package outbox.testing;

import static java.util.Objects.requireNonNull;

import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import outbox.Outbox;
import outbox.OutboxClient;
import outbox.dispatch.OutboxDispatcher;
import outbox.inbox.Inbox;

/**
 * Gives each test an outbox of its own, as parameters of its methods. Works with JUnit 5 and 6.
 *
 * <p>{@code @ExtendWith(OutboxExtension.class)} gives a {@link TestOutbox}, a {@link TestInbox} of
 * the same {@link SettableClock}, or a part of them: {@link PublishedEvents}, {@link OutboxClient},
 * {@link Outbox}, {@link Inbox}.
 *
 * <p>With {@link #inMemory} the outbox has listeners. With {@link #on} it is an outbox on a
 * database, and the parameters are an {@link OutboxDriver} and {@link PublishedEvents}. Both need
 * {@code @RegisterExtension}.
 */
public final class OutboxExtension
    implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(OutboxExtension.class);

  private final Supplier<TestObjects> objects;

  /** For {@code @ExtendWith}: an outbox in memory without listeners. */
  public OutboxExtension() {
    this(() -> InMemoryObjects.of(outbox -> {}));
  }

  private OutboxExtension(Supplier<TestObjects> objects) {
    this.objects = objects;
  }

  /**
   * Creates an extension that gives each test an outbox in memory.
   *
   * @param setup adds the listeners, and whatever each test needs
   */
  public static OutboxExtension inMemory(Consumer<TestOutbox> setup) {
    requireNonNull(setup, "setup");
    return new OutboxExtension(() -> InMemoryObjects.of(setup));
  }

  /**
   * Creates an extension that drives an outbox on a database: its listeners run when the test says
   * so, and each test sees the events that it has published itself.
   *
   * @param dispatcher such as {@code () -> outbox.dispatcher()}; asked before each test
   * @param dataSource that of the outbox, with its table {@code outbox_event}
   */
  public static OutboxExtension on(
      Supplier<OutboxDispatcher> dispatcher, Supplier<DataSource> dataSource) {
    requireNonNull(dispatcher, "dispatcher");
    requireNonNull(dataSource, "dataSource");
    return new OutboxExtension(
        () -> DrivenObjects.of(dispatcher.get(), PublishedEvents.of(dataSource.get())));
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    context.getStore(NAMESPACE).put(this, objects.get());
  }

  @Override
  public void afterEach(ExtensionContext context) {
    TestObjects ended = context.getStore(NAMESPACE).remove(this, TestObjects.class);
    if (ended != null) {
      ended.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return found(parameter, context) != null;
  }

  @Override
  public @Nullable Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return found(parameter, context);
  }

  private @Nullable Object found(ParameterContext parameter, ExtensionContext context) {
    TestObjects of = context.getStore(NAMESPACE).get(this, TestObjects.class);
    return of == null ? null : of.find(parameter.getParameter().getType());
  }

  /** What a test may ask for. */
  private interface TestObjects {
    @Nullable Object find(Class<?> type);

    void close();
  }

  private static final class InMemoryObjects implements TestObjects {
    private final TestOutbox outbox = TestOutbox.create();
    private @Nullable TestInbox inbox;

    static TestObjects of(Consumer<TestOutbox> setup) {
      InMemoryObjects objects = new InMemoryObjects();
      setup.accept(objects.outbox);
      return objects;
    }

    @Override
    public @Nullable Object find(Class<?> type) {
      if (type == TestOutbox.class) {
        return outbox;
      }
      if (type == SettableClock.class) {
        return outbox.clock();
      }
      if (type == PublishedEvents.class) {
        return outbox.published();
      }
      if (type == OutboxClient.class) {
        return outbox.client();
      }
      if (type == Outbox.class) {
        return outbox.queue();
      }
      if (type == TestInbox.class) {
        return inbox();
      }
      return type == Inbox.class ? inbox().inbox() : null;
    }

    /** Few tests need one. */
    private TestInbox inbox() {
      if (inbox == null) {
        inbox = TestInbox.builder().clock(outbox.clock()).build();
      }
      return inbox;
    }

    @Override
    public void close() {
      if (inbox != null) {
        inbox.close();
      }
      outbox.close();
    }
  }

  private record DrivenObjects(OutboxDriver driver, PublishedEvents published)
      implements TestObjects {
    static TestObjects of(OutboxDispatcher dispatcher, PublishedEvents published) {
      published.reset();
      return new DrivenObjects(OutboxDriver.of(dispatcher), published);
    }

    @Override
    public @Nullable Object find(Class<?> type) {
      if (type == OutboxDriver.class) {
        return driver;
      }
      return type == PublishedEvents.class ? published : null;
    }

    @Override
    public void close() {
      driver.close();
    }
  }
}
