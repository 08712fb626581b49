package outbox.benchmarks;

import java.util.List;
import java.util.Locale;

/** The gates as bars: how far each is from its limit. Readable on light and on dark ground. */
final class Chart {
  private static final int WIDTH = 860;
  private static final int LABEL = 430;
  private static final int ROW = 30;
  private static final int TOP = 56;
  private static final int SCALE = 130;
  private static final double LONGEST = 2.4;

  private static final String STYLE =
      """
      <style>
        text { font: 13px system-ui, sans-serif; fill: #1f2328; }
        .title { font-weight: 600; font-size: 15px; }
        .limit { stroke: #1f2328; stroke-width: 2; stroke-dasharray: 4 3; }
        .pass { fill: #2da44e; } .fail { fill: #cf222e; }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3; } .limit { stroke: #e6edf3; }
          .pass { fill: #3fb950; } .fail { fill: #f85149; }
        }
      </style>
      """;

  private final List<Gate> gates;

  Chart(List<Gate> gates) {
    this.gates = gates;
  }

  String toSvg() {
    int height = TOP + gates.size() * ROW + 10;
    StringBuilder svg = new StringBuilder();
    svg.append(
        format(
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d'"
                + " role='img'>%n",
            WIDTH, height, WIDTH, height));
    svg.append("<title>Gates of the benchmark, measured against their limits</title>\n");
    svg.append(STYLE);
    svg.append("<text class='title' x='10' y='22'>Measured, as a multiple of the limit</text>\n");
    svg.append(
        "<text x='10' y='42'>≥ wants to reach the line, ≤ wants to stay short of it</text>\n");
    int y = TOP;
    for (Gate gate : gates) {
      bar(svg, gate, y);
      y += ROW;
    }
    int line = LABEL + SCALE;
    svg.append(
        format("<line class='limit' x1='%d' x2='%d' y1='%d' y2='%d'/>%n", line, line, TOP - 6, y));
    return svg.append("</svg>\n").toString();
  }

  private static void bar(StringBuilder svg, Gate gate, int y) {
    double length = Math.min(LONGEST, gate.value() / gate.limit()) * SCALE;
    String sign = gate.atLeast() ? "≥ " : "≤ ";
    svg.append(format("<text x='10' y='%d'>%s</text>%n", y + 16, escape(gate.name())));
    svg.append(
        format(
            "<rect class='%s' x='%d' y='%d' width='%.0f' height='20' rx='3'/>%n",
            gate.passed() ? "pass" : "fail", LABEL, y + 1, length));
    svg.append(
        format(
            "<text x='%.0f' y='%d'>%s (%s%s)</text>%n",
            LABEL + Math.max(length, SCALE) + 8,
            y + 16,
            gate.measured(),
            sign,
            gate.rule().replaceFirst("at (least|most) ", "")));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
