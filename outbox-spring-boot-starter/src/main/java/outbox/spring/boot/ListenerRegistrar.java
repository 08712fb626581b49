package outbox.spring.boot;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import outbox.EventListener;
import outbox.OutboxHandler;
import outbox.inbox.InboxHandler;
import outbox.jdbc.JdbcOutbox;

/**
 * Finds listeners among the beans, be they methods or beans of the plain interfaces, and registers
 * them before the outbox starts. Beans are only made when their first event comes.
 */
final class ListenerRegistrar implements SmartInitializingSingleton {
  private static final String ALL = "*";

  private final ConfigurableListableBeanFactory beans;
  private final JdbcOutbox outbox;
  private final LazyInbox inbox;
  private final ObjectProvider<PayloadCodec> codecs;
  private final Map<String, String> inboxTopics = new HashMap<>();

  ListenerRegistrar(
      ConfigurableListableBeanFactory beans,
      JdbcOutbox outbox,
      LazyInbox inbox,
      ObjectProvider<PayloadCodec> codecs) {
    this.beans = beans;
    this.outbox = outbox;
    this.inbox = inbox;
    this.codecs = codecs;
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
      registerBean(name, type);
      if (AnnotationUtils.isCandidateClass(
          type, Set.of(OutboxListener.class, InboxListener.class))) {
        registerMethods(
            name, type, OutboxListener.class, OutboxListener::value, this::registerOutbox);
        registerMethods(name, type, InboxListener.class, InboxListener::value, this::registerInbox);
      }
    }
  }

  private void registerBean(String name, Class<?> type) {
    if (OutboxHandler.class.isAssignableFrom(type)) {
      outbox.listeners().register(beans.getBean(name, OutboxHandler.class));
    } else if (EventListener.class.isAssignableFrom(type)) {
      outbox.listeners().register(topicOf(name, type), beans.getBean(name, EventListener.class));
    } else if (InboxHandler.class.isAssignableFrom(type)) {
      registerInbox(beans.getBean(name, InboxHandler.class), "bean " + name);
    }
  }

  private String topicOf(String name, Class<?> type) {
    OutboxListener mark = beans.findAnnotationOnBean(name, OutboxListener.class);
    if (mark == null) {
      throw new OutboxSetupException(
          "Bean " + name + " is an EventListener (" + type.getName() + ") without a topic.",
          "Annotate its class or its @Bean method with @OutboxListener(\"topic\"), or with"
              + " @OutboxListener(\"*\") for every event.");
    }
    return resolved(mark.value());
  }

  private <A extends Annotation> void registerMethods(
      String name,
      Class<?> type,
      Class<A> annotation,
      Function<A, String> topic,
      BiConsumer<String, Target> registration) {
    Map<Method, @Nullable A> methods =
        MethodIntrospector.selectMethods(
            type,
            (MethodIntrospector.MetadataLookup<@Nullable A>)
                method -> AnnotatedElementUtils.findMergedAnnotation(method, annotation));
    methods.forEach(
        (method, mark) -> {
          if (mark != null) {
            registration.accept(resolved(topic.apply(mark)), new Target(name, type, method));
          }
        });
  }

  private void registerOutbox(String topic, Target target) {
    if (EventListener.class.isAssignableFrom(target.method.getReturnType())) {
      return; // The method makes a bean, whose topic this is.
    }
    if (topic.equals(ALL)) {
      outbox
          .listeners()
          .registerAll(
              MethodListeners.listenerOfAll(method(ListenerKind.OUTBOX_ALL, topic, target)));
    } else {
      outbox
          .listeners()
          .register(MethodListeners.handler(topic, method(ListenerKind.OUTBOX, topic, target)));
    }
  }

  private void registerInbox(String topic, Target target) {
    ListenerMethod method = method(ListenerKind.INBOX, topic, target);
    registerInbox(MethodListeners.inboxHandler(topic, method), method.toString());
  }

  private void registerInbox(InboxHandler handler, String place) {
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
    inbox.get().handlers().register(handler);
  }

  private ListenerMethod method(ListenerKind kind, String topic, Target target) {
    Method invocable = AopUtils.selectInvocableMethod(target.method, type(target));
    return new ListenerMethod(
        kind, topic, () -> beans.getBean(target.bean), invocable, codecs.getIfUnique());
  }

  private Class<?> type(Target target) {
    Class<?> exposed = beans.getType(target.bean);
    return exposed == null ? target.type : exposed;
  }

  private String resolved(String topic) {
    String resolved = beans.resolveEmbeddedValue(topic);
    return resolved == null ? topic : resolved;
  }

  private record Target(String bean, Class<?> type, Method method) {}
}
