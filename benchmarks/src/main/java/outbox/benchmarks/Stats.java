package outbox.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Medians and percentiles. */
final class Stats {
  private Stats() {}

  static double median(double... values) {
    return percentile(values, 50);
  }

  static <T> double median(List<T> items, ToDoubleFunction<T> value) {
    return median(items.stream().mapToDouble(value).toArray());
  }

  /** The median of the ratios of neighbours: what disturbs a round disturbs both sides of it. */
  static <T> double medianRatio(List<T> above, List<T> below, ToDoubleFunction<T> value) {
    double[] ratios = new double[above.size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = value.applyAsDouble(above.get(i)) / value.applyAsDouble(below.get(i));
    }
    return median(ratios);
  }

  /** By linear interpolation between the closest ranks. */
  static double percentile(double[] values, double percent) {
    if (values.length == 0) {
      throw new IllegalArgumentException("no values");
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    double rank = percent / 100 * (sorted.length - 1);
    int lower = (int) rank;
    int upper = Math.min(lower + 1, sorted.length - 1);
    return sorted[lower] + (rank - lower) * (sorted[upper] - sorted[lower]);
  }
}
