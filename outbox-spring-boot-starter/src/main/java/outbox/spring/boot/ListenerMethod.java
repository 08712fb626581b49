package outbox.spring.boot;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import outbox.HandlerResult;
import outbox.PermanentFailureException;

/** A listener method of a bean, its parameters bound once and for all. Thread-safe. */
final class ListenerMethod {
  private final ListenerKind kind;
  private final String topic;
  private final Supplier<Object> bean;
  private final Method method;
  private final @Nullable PayloadCodec codec;
  private final List<Function<Delivered, @Nullable Object>> arguments = new ArrayList<>();

  ListenerMethod(
      ListenerKind kind,
      String topic,
      Supplier<Object> bean,
      Method method,
      @Nullable PayloadCodec codec) {
    this.kind = kind;
    this.topic = topic;
    this.bean = bean;
    this.method = method;
    this.codec = codec;
    bind();
    checkResult();
    ReflectionUtils.makeAccessible(method);
  }

  boolean isTransactional() {
    return Arrays.asList(method.getParameterTypes()).contains(Connection.class);
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

  private void bind() {
    int payloads = 0;
    for (Parameter parameter : method.getParameters()) {
      Function<Delivered, @Nullable Object> part = kind.part(parameter.getType());
      if (part == null) {
        part = payload(parameter);
        payloads++;
      }
      arguments.add(part);
    }
    if (payloads > 1) {
      throw unbindable("has " + payloads + " parameters for the payload, but there is one payload");
    }
  }

  private Function<Delivered, @Nullable Object> payload(Parameter parameter) {
    Class<?> type = parameter.getType();
    if (type == String.class) {
      return this::text;
    }
    if (type.isPrimitive() || type.isArray() || kind.isForeign(type)) {
      throw unbindable("has a parameter that cannot be bound: " + type.getTypeName());
    }
    if (codec == null) {
      throw new OutboxSetupException(
          this + " wants its payload as " + type.getTypeName() + ", and nothing can read it.",
          "Add spring-boot-starter-jackson, define a PayloadCodec bean, or take the payload as"
              + " String.");
    }
    PayloadCodec reader = codec;
    Type generic = parameter.getParameterizedType();
    return delivered -> read(reader, text(delivered), generic);
  }

  private String text(Delivered delivered) {
    String text = delivered.text();
    if (text == null) {
      throw new PermanentFailureException(
          "the payload of topic " + topic + " is binary, but " + this + " reads text");
    }
    return text;
  }

  /** Without the reader's message, which may quote the payload. */
  private Object read(PayloadCodec reader, String text, Type type) {
    try {
      return reader.read(text, type);
    } catch (RuntimeException e) {
      throw new PermanentFailureException(
          "the payload of topic "
              + topic
              + " cannot be read as "
              + type.getTypeName()
              + ": "
              + e.getClass().getName());
    }
  }

  private void checkResult() {
    Class<?> result = method.getReturnType();
    boolean decides = result == HandlerResult.class && kind != ListenerKind.OUTBOX_ALL;
    if (result != void.class && !(decides && isTransactional())) {
      throw new OutboxSetupException(
          this + " returns " + result.getTypeName() + ".",
          "Return nothing; a method with a Connection parameter may return a HandlerResult.");
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
