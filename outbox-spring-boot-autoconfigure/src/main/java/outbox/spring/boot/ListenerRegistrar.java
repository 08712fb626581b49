package outbox.spring.boot;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;
import outbox.EventListener;
import outbox.OutboxHandler;
import outbox.TransactionalEventListener;
import outbox.TransactionalOutboxHandler;
import outbox.inbox.InboxHandler;
import outbox.inbox.TransactionalInboxHandler;
import outbox.jdbc.JdbcOutbox;
import outbox.registry.DefaultListenerRegistry;

/**
 * Finds listeners among the beans, be they methods or beans of the plain interfaces, and registers
 * those of an outbox in one step before it starts: an event that is published meanwhile must not
 * count as handled by half of them. Beans are only made when their first event comes.
 */
final class ListenerRegistrar implements SmartInitializingSingleton {
  private final ConfigurableListableBeanFactory beans;
  private final Outboxes outboxes;
  private final OutboxBuilders builders;
  private final LazyInbox inbox;
  private final PayloadReaders payloads;
  private final ListenerTopics topics;
  private final ListenerTransactions transactions;
  private final Map<JdbcOutbox, DefaultListenerRegistry> found = new LinkedHashMap<>();
  private final Map<String, String> inboxTopics = new HashMap<>();

  ListenerRegistrar(
      ConfigurableListableBeanFactory beans,
      Outboxes outboxes,
      OutboxBuilders builders,
      LazyInbox inbox,
      PayloadReaders payloads,
      ListenerTopics topics) {
    this.beans = beans;
    this.outboxes = outboxes;
    this.builders = builders;
    this.inbox = inbox;
    this.payloads = payloads;
    this.topics = topics;
    this.transactions = new ListenerTransactions(beans);
  }

  @Override
  public void afterSingletonsInstantiated() {
    for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
      Class<?> type =
          ScopedProxyUtils.isScopedTarget(name)
              ? null
              : AutoProxyUtils.determineTargetClass(beans, name);
      if (type == null) {
        continue;
      }
      explained("Bean " + name, () -> registerBean(name, type));
      if (ListenerMarks.isCandidate(type)) {
        registerMethods(name, type, OutboxListener.class, this::registerOutbox);
        registerMethods(name, type, InboxListener.class, this::registerInbox);
      }
    }
    found.forEach((outbox, listeners) -> outbox.listeners().registerFrom(listeners));
  }

  private DefaultListenerRegistry of(JdbcOutbox outbox) {
    return found.computeIfAbsent(outbox, each -> new DefaultListenerRegistry());
  }

  /** Spring and the registry tell what is wrong, but not where. */
  private static void explained(Object place, Runnable registration) {
    try {
      registration.run();
    } catch (IllegalStateException | IllegalArgumentException e) {
      throw new OutboxSetupException(
          place + " cannot listen: " + e.getMessage(),
          "Name one topic; give two listeners of one topic different names, by @OutboxListener(name"
              + " = …); a listener method of a proxied bean is not private, and is declared in"
              + " an interface where the proxy has only interfaces.",
          e);
    }
  }

  private void registerBean(String name, Class<?> type) {
    OutboxListener mark = beans.findAnnotationOnBean(name, OutboxListener.class, false);
    if (isListener(type)) {
      registerListener(name, type, mark);
    } else if (mark != null) {
      throw new OutboxSetupException(
          "Bean " + name + " (" + type.getName() + ") carries @OutboxListener, but is no listener.",
          "Let it implement EventListener, or annotate a method of it; a handler names its topic"
              + " itself.");
    } else {
      registerHandler(name, type);
    }
  }

  private static boolean isListener(Class<?> type) {
    return EventListener.class.isAssignableFrom(type)
        || TransactionalEventListener.class.isAssignableFrom(type);
  }

  private void registerHandler(String name, Class<?> type) {
    if (OutboxHandler.class.isAssignableFrom(type)) {
      of(outboxes.own()).registerHandler(name, beans.getBean(name, OutboxHandler.class));
    } else if (TransactionalOutboxHandler.class.isAssignableFrom(type)) {
      of(outboxes.own())
          .registerHandler(name, beans.getBean(name, TransactionalOutboxHandler.class));
    } else if (InboxHandler.class.isAssignableFrom(type)) {
      InboxHandler handler = beans.getBean(name, InboxHandler.class);
      requireOnlyOne(handler.topic(), "bean " + name);
      inbox.get().handlers().register(name, handler);
    } else if (TransactionalInboxHandler.class.isAssignableFrom(type)) {
      TransactionalInboxHandler handler = beans.getBean(name, TransactionalInboxHandler.class);
      requireOnlyOne(handler.topic(), "bean " + name);
      inbox.get().handlers().register(name, handler);
    }
  }

  private void registerListener(String name, Class<?> type, @Nullable OutboxListener mark) {
    if (mark == null) {
      throw new OutboxSetupException(
          "Bean " + name + " is an EventListener (" + type.getName() + ") without a topic.",
          "Annotate its class or its @Bean method with @OutboxListener(\"topic\"), or with"
              + " @OutboxListener(\"*\") for every event.");
    }
    if (mark.transactional() && !TransactionalEventListener.class.isAssignableFrom(type)) {
      throw new OutboxSetupException(
          "Bean " + name + " is marked transactional, but " + type.getName() + " is not.",
          "Let it implement TransactionalEventListener, or annotate a method instead.");
    }
    topics.requireSeen(mark, "Bean " + name);
    DefaultListenerRegistry listeners = of(outboxes.of(mark, "Bean " + name));
    String topic = resolved(mark.value());
    String given = mark.name().isEmpty() ? name : mark.name();
    if (EventListener.class.isAssignableFrom(type)) {
      listeners.register(topic, given, beans.getBean(name, EventListener.class));
    } else {
      listeners.registerTransactional(
          topic, given, beans.getBean(name, TransactionalEventListener.class));
    }
  }

  private <A extends Annotation> void registerMethods(
      String name, Class<?> type, Class<A> annotation, BiConsumer<A, Target> registration) {
    ListenerMarks.of(type, annotation)
        .forEach(
            (method, mark) -> {
              Target target = new Target(name, type, method);
              explained(target, () -> registration.accept(mark, target));
            });
  }

  private void registerOutbox(OutboxListener mark, Target target) {
    if (isListener(target.method.getReturnType())) {
      return; // The method makes a bean, whose topic this is.
    }
    String topic = resolved(mark.value());
    boolean all = topic.equals(ListenerTopics.ALL);
    JdbcOutbox outbox = outboxes.of(mark, target);
    ListenerMethod method =
        method(
            all ? ListenerKind.OUTBOX_ALL : ListenerKind.OUTBOX,
            target,
            mark.transactional(),
            builders.databaseOf(outbox));
    topics.requireSeen(mark, method);
    DefaultListenerRegistry listeners = of(outbox);
    String name = mark.name().isEmpty() ? target.name() : mark.name();
    if (all) {
      MethodListeners.registerAll(listeners, name, method);
    } else {
      MethodListeners.register(listeners, topic, name, method);
    }
  }

  private void registerInbox(InboxListener mark, Target target) {
    ListenerMethod method =
        method(
            ListenerKind.INBOX, target, mark.transactional(), builders.databaseOf(outboxes.own()));
    topics.requireSeen(mark, method);
    String topic = resolved(mark.value());
    requireOnlyOne(topic, method.toString());
    MethodListeners.register(inbox.get().handlers(), topic, target.name(), method);
  }

  private void requireOnlyOne(String topic, String place) {
    String before = inboxTopics.putIfAbsent(topic, place);
    if (before != null) {
      throw new OutboxSetupException(
          "Topic "
              + topic
              + " of the inbox has two listeners: "
              + List.of(before, place)
              + ". A message is handled once, so a topic has one.",
          "Remove one of them, or let one call both.");
    }
  }

  private ListenerMethod method(
      ListenerKind kind, Target target, boolean asked, OutboxDatabase database) {
    Method invocable = AopUtils.selectInvocableMethod(target.method, exposed(target));
    boolean transactional =
        transactions.covers(asked, target.method, target.type, database, target);
    return new ListenerMethod(
        kind, () -> beans.getBean(target.bean), target.type, invocable, transactional, payloads);
  }

  private Class<?> exposed(Target target) {
    Class<?> exposed = beans.getType(target.bean);
    return exposed == null ? target.type : exposed;
  }

  private String resolved(String topic) {
    return ListenerTopics.resolved(beans, topic);
  }

  private record Target(String bean, Class<?> type, Method method) {
    /** By which events keep what became of it, unless it is given another name. */
    String name() {
      return bean + "." + method.getName();
    }

    @Override
    public String toString() {
      return "Method " + ClassUtils.getQualifiedMethodName(method, type) + " of bean " + bean;
    }
  }
}
