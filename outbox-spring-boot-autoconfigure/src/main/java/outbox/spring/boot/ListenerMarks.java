package outbox.spring.boot;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** The annotated methods of a class, also of its superclasses and interfaces. */
final class ListenerMarks {
  private ListenerMarks() {}

  /** Whether methods of the class may be annotated at all. */
  static boolean isCandidate(Class<?> type) {
    return AnnotationUtils.isCandidateClass(
        type, Set.of(OutboxListener.class, InboxListener.class));
  }

  static <A extends Annotation> Map<Method, A> of(Class<?> type, Class<A> annotation) {
    Map<Method, @Nullable A> found =
        MethodIntrospector.selectMethods(
            type,
            (MethodIntrospector.MetadataLookup<@Nullable A>)
                method -> AnnotatedElementUtils.findMergedAnnotation(method, annotation));
    Map<Method, A> marked = new LinkedHashMap<>();
    found.forEach(
        (method, mark) -> {
          if (mark != null) {
            marked.put(method, mark);
          }
        });
    return marked;
  }
}
