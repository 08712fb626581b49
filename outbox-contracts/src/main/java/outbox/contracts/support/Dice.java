package outbox.contracts.support;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Random values for tests of properties. {@link #check} runs a property again and again, each time
 * with new values. A failure names its seed: {@code -Doutbox.fuzz.seed=N} plays that seed alone,
 * and {@code -Doutbox.fuzz.times=N} runs every property N times as often. Not thread-safe.
 */
public final class Dice {
  private static final String ASCII =
      "\0\u0001\b\t\n\u000b\f\r !\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~";
  private static final String OTHERS =
      "\u007f\u0085éßı\u0660\uff11\u2028\u2029\u202e\ufeff漢\ud83d\ude00\uffff";

  private final Random random;

  private Dice(long seed) {
    this.random = new Random(seed);
  }

  /**
   * Runs the property so many times.
   *
   * @throws AssertionError that names the seed, with what the property threw as its cause
   */
  public static void check(int runs, Property property) {
    Long given = Long.getLong("outbox.fuzz.seed");
    int times = given == null ? runs * Integer.getInteger("outbox.fuzz.times", 1) : 1;
    Random seeds = new Random();
    for (int run = 0; run < times; run++) {
      check(given == null ? seeds.nextInt(Integer.MAX_VALUE) : given, property);
    }
  }

  @SuppressWarnings("CatchingUnchecked") // whatever it is, the seed belongs to it
  private static void check(long seed, Property property) {
    try {
      property.check(new Dice(seed));
    } catch (Exception | AssertionError | StackOverflowError e) {
      throw new AssertionError(
          "seed " + seed + ", again by -Doutbox.fuzz.seed=" + seed + ": " + e.getMessage(), e);
    }
  }

  /** From 0 to the bound, without it. */
  public int number(int bound) {
    return random.nextInt(bound);
  }

  public boolean isOneIn(int chances) {
    return random.nextInt(chances) == 0;
  }

  public <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  /** From none to so many. */
  public <T> List<T> some(int most, Supplier<T> each) {
    List<T> some = new ArrayList<>();
    for (int count = random.nextInt(most + 1); count > 0; count--) {
      some.add(each.get());
    }
    return some;
  }

  /** At most so many of the pieces in any order. */
  public String text(int most, List<String> pieces) {
    return String.join("", some(most, () -> one(pieces)));
  }

  /** At most so many characters: mostly those that a format gives a meaning, and any other. */
  public String text(int most) {
    return String.join("", some(most, this::character));
  }

  /** One that a format gives a meaning, one of another script, half of a pair, or any other. */
  public String character() {
    return switch (random.nextInt(8)) {
      case 0 -> String.valueOf((char) random.nextInt(Character.MAX_VALUE + 1));
      case 1 -> "😀";
      case 2, 3 -> of(OTHERS);
      default -> of(ASCII);
    };
  }

  private String of(String characters) {
    return String.valueOf(characters.charAt(random.nextInt(characters.length())));
  }

  /** What holds for all random values. */
  @FunctionalInterface
  public interface Property {
    void check(Dice dice) throws Exception;
  }
}
