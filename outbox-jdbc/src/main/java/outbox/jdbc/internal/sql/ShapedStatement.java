package outbox.jdbc.internal.sql;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A statement of an SQL file whose parts between {@code {if name}} and {@code {/if}} are only there
 * if that parameter is given, neither null nor false: what is not sent costs nothing. Each shape is
 * a statement of its own for the driver and for the database's plans, so conditions are few.
 */
final class ShapedStatement {
  private static final Pattern PART =
      Pattern.compile("\\{if ([a-z]\\w*)}(.*?)\\{/if}", Pattern.DOTALL);

  private final String text;
  private final List<String> conditions;
  private final Map<Integer, NamedStatement> shapes = new ConcurrentHashMap<>();

  ShapedStatement(String text) {
    this.text = text;
    this.conditions =
        PART.matcher(text).results().map(part -> part.group(1).intern()).distinct().toList();
  }

  /** The shape for these parameters. */
  NamedStatement of(Parameters parameters) {
    int shape = 0;
    for (int i = 0; i < conditions.size(); i++) {
      if (parameters.has(conditions.get(i))) {
        shape |= 1 << i;
      }
    }
    return shapes.computeIfAbsent(shape, this::shaped);
  }

  private NamedStatement shaped(int shape) {
    return new NamedStatement(
        PART.matcher(text).replaceAll(part -> Matcher.quoteReplacement(kept(part, shape))));
  }

  private String kept(MatchResult part, int shape) {
    boolean isGiven = (shape >> conditions.indexOf(part.group(1)) & 1) == 1;
    return isGiven ? part.group(2) : "";
  }
}
