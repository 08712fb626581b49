package outbox.spring.boot;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.ReflectiveProcessor;
import org.springframework.aot.hint.annotation.SimpleReflectiveProcessor;

/** Keeps listener methods in a native image, and the classes that their payloads are read as. */
final class ListenerHints implements ReflectiveProcessor {
  private final ReflectiveProcessor itself = new SimpleReflectiveProcessor();
  private final BindingReflectionHintsRegistrar payloads = new BindingReflectionHintsRegistrar();

  ListenerHints() {}

  @Override
  public void registerReflectionHints(ReflectionHints hints, AnnotatedElement element) {
    itself.registerReflectionHints(hints, element);
    if (element instanceof Method method) {
      for (Parameter parameter : method.getParameters()) {
        if (!parameter.getType().getName().matches("(java|outbox)\\..*|byte\\[]|\\[B")) {
          payloads.registerReflectionHints(hints, parameter.getParameterizedType());
        }
      }
    }
  }
}
