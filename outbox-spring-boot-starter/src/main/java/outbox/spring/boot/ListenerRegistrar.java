package outbox.spring.boot;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import outbox.EventListener;
import outbox.OutboxHandler;
import outbox.inbox.InboxHandler;
import outbox.jdbc.JdbcOutbox;
import outbox.registry.DefaultListenerRegistry;

/**
 * Finds listeners among the beans, be they methods or beans of the plain interfaces, and registers
 * those of an outbox in one step before it starts: an event that is published meanwhile must not
 * count as handled by half of them. Beans are only made when their first event comes.
 */
final class ListenerRegistrar implements SmartInitializingSingleton {
  private static final String ALL = "*";

  private final ConfigurableListableBeanFactory beans;
  private final Outboxes outboxes;
  private final LazyInbox inbox;
  private final PayloadReaders payloads;
  private final Map<JdbcOutbox, DefaultListenerRegistry> found = new LinkedHashMap<>();
  private final Map<String, String> inboxTopics = new HashMap<>();

  ListenerRegistrar(
      ConfigurableListableBeanFactory beans,
      Outboxes outboxes,
      LazyInbox inbox,
      PayloadReaders payloads) {
    this.beans = beans;
    this.outboxes = outboxes;
    this.inbox = inbox;
    this.payloads = payloads;
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
      if (AnnotationUtils.isCandidateClass(
          type, Set.of(OutboxListener.class, InboxListener.class))) {
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
    boolean handler = OutboxHandler.class.isAssignableFrom(type);
    if (EventListener.class.isAssignableFrom(type) && !handler) {
      registerListener(name, type, mark);
    } else if (mark != null) {
      throw new OutboxSetupException(
          "Bean " + name + " (" + type.getName() + ") carries @OutboxListener, but is no listener.",
          "Let it implement EventListener, or annotate a method of it; a handler names its topic"
              + " itself.");
    } else if (handler) {
      of(outboxes.own()).registerHandler(name, beans.getBean(name, OutboxHandler.class));
    } else if (InboxHandler.class.isAssignableFrom(type)) {
      registerInbox(name, beans.getBean(name, InboxHandler.class), "bean " + name);
    }
  }

  private void registerListener(String name, Class<?> type, @Nullable OutboxListener mark) {
    if (mark == null) {
      throw new OutboxSetupException(
          "Bean " + name + " is an EventListener (" + type.getName() + ") without a topic.",
          "Annotate its class or its @Bean method with @OutboxListener(\"topic\"), or with"
              + " @OutboxListener(\"*\") for every event.");
    }
    of(outboxes.of(mark, "Bean " + name))
        .register(
            resolved(mark.value()),
            mark.name().isEmpty() ? name : mark.name(),
            beans.getBean(name, EventListener.class));
  }

  private <A extends Annotation> void registerMethods(
      String name, Class<?> type, Class<A> annotation, BiConsumer<A, Target> registration) {
    Map<Method, @Nullable A> methods =
        MethodIntrospector.selectMethods(
            type,
            (MethodIntrospector.MetadataLookup<@Nullable A>)
                method -> AnnotatedElementUtils.findMergedAnnotation(method, annotation));
    methods.forEach(
        (method, mark) -> {
          if (mark != null) {
            Target target = new Target(name, type, method);
            explained(target, () -> registration.accept(mark, target));
          }
        });
  }

  private void registerOutbox(OutboxListener mark, Target target) {
    if (EventListener.class.isAssignableFrom(target.method.getReturnType())) {
      return; // The method makes a bean, whose topic this is.
    }
    String topic = resolved(mark.value());
    boolean all = topic.equals(ALL);
    ListenerMethod method = method(all ? ListenerKind.OUTBOX_ALL : ListenerKind.OUTBOX, target);
    DefaultListenerRegistry listeners = of(outboxes.of(mark, method));
    String name = mark.name().isEmpty() ? target.name() : mark.name();
    if (all) {
      listeners.registerAll(name, MethodListeners.listenerOfAll(method));
    } else {
      listeners.register(topic, name, MethodListeners.handler(topic, method));
    }
  }

  private void registerInbox(InboxListener mark, Target target) {
    ListenerMethod method = method(ListenerKind.INBOX, target);
    InboxHandler handler = MethodListeners.inboxHandler(resolved(mark.value()), method);
    registerInbox(target.name(), handler, method.toString());
  }

  private void registerInbox(String name, InboxHandler handler, String place) {
    String before = inboxTopics.putIfAbsent(handler.topic(), place);
    if (before != null) {
      throw new OutboxSetupException(
          "Topic "
              + handler.topic()
              + " of the inbox has two listeners: "
              + List.of(before, place)
              + ". A message is handled once, so a topic has one.",
          "Remove one of them, or let one call both.");
    }
    inbox.get().handlers().register(name, handler);
  }

  private ListenerMethod method(ListenerKind kind, Target target) {
    Method invocable = AopUtils.selectInvocableMethod(target.method, exposed(target));
    return new ListenerMethod(
        kind, () -> beans.getBean(target.bean), target.type, invocable, payloads);
  }

  private Class<?> exposed(Target target) {
    Class<?> exposed = beans.getType(target.bean);
    return exposed == null ? target.type : exposed;
  }

  private String resolved(String topic) {
    String resolved = beans.resolveEmbeddedValue(topic);
    return resolved == null ? topic : resolved;
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
