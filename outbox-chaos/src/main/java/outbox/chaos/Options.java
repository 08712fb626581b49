package outbox.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.chaos.fault.FaultKind;

/**
 * The command line.
 *
 * @param time of each database
 * @param rate business transactions per second of all nodes together
 * @param output where the account goes as well; null for nowhere
 */
record Options(
    Duration time,
    List<String> databases,
    long seed,
    Set<FaultKind> faults,
    int rate,
    @Nullable Path output,
    boolean help) {
  static final String HELP =
      """
      Usage: chaos [--short | --minutes N] [--database NAME] [--seed N] [--only KIND,...] [--rate N] [--output FILE]

        (nothing)        30 minutes on each database
        --short          one round on each database, about a minute
        --minutes N      as many rounds on each database as fit, but one at least
        --database NAME  postgresql, mariadb or both (both)
        --seed N         repeats the choices of a run, which prints its seed at the beginning
        --only KIND,...  only these faults; none for no fault at all
        --rate N         business transactions per second of all nodes together (400)
        --output FILE    writes the account into a file as well

      Kinds of faults: %s
      """;

  private static final List<String> BOTH = List.of("postgresql", "mariadb");
  private static final int DEFAULT_RATE = 400;

  static Options parse(String[] args) {
    Duration time = Duration.ofMinutes(30);
    List<String> databases = BOTH;
    long seed = new Random().nextInt(1_000_000);
    Set<FaultKind> faults = EnumSet.allOf(FaultKind.class);
    int rate = DEFAULT_RATE;
    Path output = null;
    boolean help = false;
    Iterator<String> words = List.of(args).iterator();
    while (words.hasNext()) {
      String word = words.next();
      switch (word) {
        case "--short" -> time = Duration.ofMinutes(1);
        case "--minutes" -> time = Duration.ofMinutes(number(word, words));
        case "--database" -> databases = databases(value(word, words));
        case "--seed" -> seed = number(word, words);
        case "--only" -> faults = faults(value(word, words));
        case "--rate" -> rate = Math.toIntExact(number(word, words));
        case "--output" -> output = Path.of(value(word, words));
        case "--help", "-h" -> help = true;
        default -> throw new IllegalArgumentException("unknown option " + word + "; see --help");
      }
    }
    return new Options(time, databases, seed, faults, rate, output, help);
  }

  private static List<String> databases(String name) {
    if (name.equals("both")) {
      return BOTH;
    }
    if (!BOTH.contains(name)) {
      throw new IllegalArgumentException(
          "--database (" + name + ") must be postgresql, mariadb or both");
    }
    return List.of(name);
  }

  private static Set<FaultKind> faults(String labels) {
    Set<FaultKind> faults = EnumSet.noneOf(FaultKind.class);
    if (!labels.equals("none")) {
      Arrays.stream(labels.split(",", -1)).map(FaultKind::of).forEach(faults::add);
    }
    return faults;
  }

  private static long number(String option, Iterator<String> words) {
    String value = value(option, words);
    try {
      long number = Long.parseLong(value);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Refused below, like a negative one.
    }
    throw new IllegalArgumentException(option + " (" + value + ") must be a whole number");
  }

  private static String value(String option, Iterator<String> words) {
    if (!words.hasNext()) {
      throw new IllegalArgumentException(option + " needs a value; see --help");
    }
    return words.next();
  }
}
