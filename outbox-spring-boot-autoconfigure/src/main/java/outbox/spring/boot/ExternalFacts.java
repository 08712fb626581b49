package outbox.spring.boot;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ExpressionException;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;
import outbox.EventEnvelope;

/** What an external event says of itself beside topic and payload. Thread-safe. */
final class ExternalFacts {
  private static final EvaluationContext CONTEXT =
      SimpleEvaluationContext.forReadOnlyDataBinding().withInstanceMethods().build();

  private final Class<?> type;
  private final List<Fact> facts = new ArrayList<>();

  ExternalFacts(Class<?> type, ExternalEvent mark) {
    this.type = type;
    add("key", mark.key(), ExternalFacts::text, EventEnvelope.Builder::idempotencyKey);
    add("tenant", mark.tenant(), ExternalFacts::text, EventEnvelope.Builder::tenantId);
    add("aggregateId", mark.aggregateId(), ExternalFacts::text, EventEnvelope.Builder::aggregateId);
    add("dueAt", mark.dueAt(), ExternalFacts::time, EventEnvelope.Builder::dueAt);
    add("expiresAt", mark.expiresAt(), ExternalFacts::time, EventEnvelope.Builder::expiresAt);
    add(
        "correlationId",
        mark.correlationId(),
        ExternalFacts::text,
        EventEnvelope.Builder::correlationId);
    add("headers", mark.headers(), ExternalFacts::map, ExternalFacts::addHeaders);
    if (!mark.aggregateType().isEmpty()) {
      facts.add((event, builder) -> builder.aggregateType(mark.aggregateType()));
    }
  }

  void addTo(EventEnvelope.Builder builder, Object event) {
    facts.forEach(fact -> fact.add(event, builder));
  }

  private <T> void add(
      String attribute,
      String expression,
      Function<Object, T> conversion,
      BiConsumer<EventEnvelope.Builder, T> setter) {
    if (expression.isEmpty()) {
      return;
    }
    try {
      Expression parsed = new SpelExpressionParser().parseExpression(expression);
      facts.add(
          (event, builder) -> {
            Object value = value(attribute, parsed, event);
            if (value != null) {
              setter.accept(builder, converted(attribute, conversion, value));
            }
          });
    } catch (ExpressionException e) {
      throw refused(attribute, e);
    }
  }

  private @Nullable Object value(String attribute, Expression expression, Object event) {
    try {
      return expression.getValue(CONTEXT, event);
    } catch (ExpressionException e) {
      throw refused(attribute, e);
    }
  }

  private <T> T converted(String attribute, Function<Object, T> conversion, Object value) {
    try {
      return conversion.apply(value);
    } catch (IllegalArgumentException e) {
      throw refused(attribute, e);
    }
  }

  /** The value itself may be confidential, so messages have its class at the most. */
  private IllegalStateException refused(String attribute, Exception e) {
    return new IllegalStateException(
        "@ExternalEvent of " + type.getName() + ": " + attribute + " is refused: " + e.getMessage(),
        e);
  }

  private static String text(Object value) {
    return value.toString();
  }

  private static Instant time(Object value) {
    if (value instanceof Instant instant) {
      return instant;
    }
    if (value instanceof OffsetDateTime time) {
      return time.toInstant();
    }
    if (value instanceof ZonedDateTime time) {
      return time.toInstant();
    }
    throw new IllegalArgumentException(
        "a "
            + value.getClass().getName()
            + " is no point in time; use an Instant, OffsetDateTime or ZonedDateTime");
  }

  private static Map<?, ?> map(Object value) {
    if (value instanceof Map<?, ?> map) {
      return map;
    }
    throw new IllegalArgumentException(
        "a " + value.getClass().getName() + " is no Map; write {name: expression}");
  }

  private static void addHeaders(EventEnvelope.Builder builder, Map<?, ?> headers) {
    headers.forEach(
        (name, value) -> {
          if (value != null) {
            builder.header(String.valueOf(name), value.toString());
          }
        });
  }

  private interface Fact {
    void add(Object event, EventEnvelope.Builder builder);
  }
}
