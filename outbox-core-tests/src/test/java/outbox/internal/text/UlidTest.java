package outbox.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;

@Spec("FRM-29")
class UlidTest {

  @Test
  void isTwentySixCharactersOfCrockfordsAlphabetAndFitsTheColumn() {
    assertThat(Ulid.next()).matches("[0-7][0-9A-HJKMNP-TV-Z]{25}").hasSizeLessThanOrEqualTo(36);
  }

  @Test
  void strictlyIncreases() {
    List<String> ids = Stream.generate(Ulid::next).limit(100_000).toList();

    List<String> sorted = new ArrayList<>(ids);
    Collections.sort(sorted);
    assertThat(ids).isEqualTo(sorted).doesNotHaveDuplicates();
  }

  @Test
  void startsWithTheTime() {
    long before = System.currentTimeMillis();

    long time = millisOf(Ulid.next());

    assertThat(time).isBetween(before - 1_000, System.currentTimeMillis());
  }

  @Test
  void isUniqueAcrossThreads() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      Callable<List<String>> task = () -> Stream.generate(Ulid::next).limit(10_000).toList();
      List<String> all = new ArrayList<>();
      for (Future<List<String>> ids : threads.invokeAll(Collections.nCopies(8, task))) {
        all.addAll(ids.get());
      }
      assertThat(all).hasSize(80_000).doesNotHaveDuplicates();
    } finally {
      threads.shutdownNow();
    }
  }

  private static long millisOf(String ulid) {
    long millis = 0;
    for (char c : ulid.substring(0, 10).toCharArray()) {
      millis = millis * 32 + "0123456789ABCDEFGHJKMNPQRSTVWXYZ".indexOf(c);
    }
    return millis;
  }
}
