package outbox.chaos.fleet;

/** The most of each that a node has used, as it said itself. */
public record Usage(int threads, int heapMegabytes, int connections) {
  static final Usage NONE = new Usage(0, 0, 0);

  static Usage parse(String line) {
    String[] words = line.split(" ", -1);
    return new Usage(
        Integer.parseInt(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3]));
  }

  /** The greater of both in each respect. */
  public Usage most(Usage other) {
    return new Usage(
        Math.max(threads, other.threads),
        Math.max(heapMegabytes, other.heapMegabytes),
        Math.max(connections, other.connections));
  }
}
