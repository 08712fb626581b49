package outbox.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Takes an address apart. By hand, because a container would mix in what a body says and decode
 * slashes before it splits.
 */
final class Query {
  private static final Pattern AMBIGUOUS =
      Pattern.compile(
          "[;\\\\]|//|/\\.\\.?(/|$)"
              + "|%(2[5ef]|3b|5c|[01][0-9a-f]|7f)"
              + "|%(2d|3[0-9]|[46][1-9a-f]|5[0-9af]|7[0-9a])",
          Pattern.CASE_INSENSITIVE);

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

  /**
   * The path below the context, undecoded.
   *
   * @throws Problem if a gate in front of this server could read the address in another way: if it
   *     has path parameters, dot segments, empty segments or backslashes, plain or encoded, or
   *     encoded slashes, percent signs, control characters, letters or digits; no client encodes
   *     what needs no encoding
   */
  static String path(HttpServletRequest request) {
    String address = request.getRequestURI();
    if (AMBIGUOUS.matcher(address).find()) {
      throw Problem.invalid(
          "address",
          "The path must not have dot segments, empty segments, semicolons or backslashes, nor"
              + " encoded dots, slashes, percent signs, control characters, letters or digits.");
    }
    return address.substring(request.getContextPath().length());
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
