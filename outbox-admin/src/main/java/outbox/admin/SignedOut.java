package outbox.admin;

import java.util.Comparator;
import java.util.TreeSet;

/**
 * The cookies of browsers that signed out, until they expire. Bounded: when there are too many, the
 * one that expires first is forgotten, and every cookie that expires no later counts as signed out.
 * Thread-safe.
 */
final class SignedOut {
  static final int MAX = 10_000;

  private final TreeSet<Entry> cookies =
      new TreeSet<>(Comparator.comparingLong(Entry::expires).thenComparing(Entry::signature));
  private long allUntil = Long.MIN_VALUE;

  synchronized void add(String signature, long expires) {
    cookies.add(new Entry(expires, signature));
    if (cookies.size() > MAX) {
      allUntil = cookies.pollFirst().expires;
    }
  }

  synchronized boolean contains(String signature, long expires) {
    return expires <= allUntil || cookies.contains(new Entry(expires, signature));
  }

  private record Entry(long expires, String signature) {}
}
