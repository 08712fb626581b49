package outbox.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Takes an address apart. By hand, because a container would mix in what a body says and decode
 * slashes before it splits.
 */
final class Query {
  private Query() {}

  static Arguments parameters(@Nullable String query) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String pair : query == null || query.isEmpty() ? new String[0] : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      String name = decode(equals < 0 ? pair : pair.substring(0, equals));
      String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
      if (name.isEmpty() && value.isEmpty()) {
        continue;
      }
      if (values.put(name, value) != null) {
        throw Problem.invalid(name, "A parameter was given twice.");
      }
    }
    return new Arguments("parameter", values);
  }

  /** The path below the context, undecoded. */
  static String path(HttpServletRequest request) {
    String path = request.getRequestURI().substring(request.getContextPath().length());
    int parameters = path.indexOf(';');
    return parameters < 0 ? path : path.substring(0, parameters);
  }

  /** The decoded segments of a path; a slash at its end counts for nothing. */
  static List<String> segments(String path) {
    List<String> segments = new ArrayList<>();
    for (String segment : path.split("/", -1)) {
      if (!segment.isEmpty()) {
        segments.add(decode(segment.replace("+", "%2B")));
      }
    }
    return segments;
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text, UTF_8);
    } catch (IllegalArgumentException e) {
      throw Problem.invalid("address", "The address has a percent sign without two digits.");
    }
  }
}
