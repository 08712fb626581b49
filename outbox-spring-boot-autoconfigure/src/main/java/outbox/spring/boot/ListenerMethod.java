package outbox.spring.boot;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import outbox.HandlerResult;

/** A listener method of a bean, its parameters bound once and for all. Thread-safe. */
final class ListenerMethod {
  private final ListenerKind kind;
  private final Supplier<Object> bean;
  private final Method method;
  private final boolean transactional;
  private final List<Function<Delivered, @Nullable Object>> arguments = new ArrayList<>();

  /**
   * Binds the parameters.
   *
   * @param beanType the bean's class, which may say what the type variables of the method are
   * @param transactional whether it runs in the transaction that completes its event
   */
  ListenerMethod(
      ListenerKind kind,
      Supplier<Object> bean,
      Class<?> beanType,
      Method method,
      boolean transactional,
      PayloadReaders payloads) {
    this.kind = kind;
    this.bean = bean;
    this.method = method;
    this.transactional = transactional;
    bind(beanType, payloads);
    checkResult();
    ReflectionUtils.makeAccessible(method);
  }

  boolean isTransactional() {
    return transactional;
  }

  /** Calls the method; what it throws comes as it is. */
  HandlerResult call(Delivered delivered) throws Exception {
    Object[] values = arguments.stream().map(argument -> argument.apply(delivered)).toArray();
    try {
      return method.invoke(bean.get(), values) instanceof HandlerResult result
          ? result
          : HandlerResult.done();
    } catch (InvocationTargetException e) {
      ReflectionUtils.rethrowException(e.getTargetException());
      throw new AssertionError(e);
    }
  }

  private void bind(Class<?> beanType, PayloadReaders payloads) {
    int ofPayload = 0;
    for (Type parameter : method.getGenericParameterTypes()) {
      Type type = GenericTypeResolver.resolveType(parameter, beanType);
      Class<?> raw = ResolvableType.forType(type).resolve();
      Function<Delivered, @Nullable Object> part = raw == null ? null : kind.part(raw);
      if (part == null) {
        String obstacle = raw == null ? "" : payloads.obstacle(kind, raw, type);
        if (obstacle != null) {
          throw unbindable(
              "has a parameter that cannot be bound: " + type.getTypeName() + obstacle);
        }
        part = payloads.reader(type, toString());
        ofPayload++;
      }
      arguments.add(part);
    }
    if (ofPayload > 1) {
      throw unbindable(
          "has " + ofPayload + " parameters for the payload, but there is one payload");
    }
  }

  private void checkResult() {
    Class<?> result = method.getReturnType();
    boolean decides = result == HandlerResult.class && kind != ListenerKind.OUTBOX_ALL;
    if (result != void.class && !(decides && isTransactional())) {
      throw new OutboxSetupException(
          this + " returns " + result.getTypeName() + ".",
          "Return nothing; a transactional method may return a HandlerResult.");
    }
  }

  private OutboxSetupException unbindable(String problem) {
    return new OutboxSetupException(this + " " + problem + ".", "Use " + kind.choices() + ".");
  }

  @Override
  public String toString() {
    return kind.label + " method " + ClassUtils.getQualifiedMethodName(method);
  }
}
