package outbox.demo;

/** What the command line asks for. */
record Options(boolean h2, boolean fast, boolean serve, boolean help) {
  static final String HELP =
      """
      Usage: demo [--h2] [--fast | --serve]

      Shows the outbox at work on an embedded PostgreSQL, in about half a minute, and checks
      at the end that every order is accounted for.

        --h2     use H2 in memory instead; needs no server process
        --fast   fewer orders, about ten seconds
        --serve  keep the shop open instead, with customers and some trouble, until Ctrl-C;
                 prints the address of the dashboard, in which everything can be tried
        --help   this text

      Exit status: 0 if the account balances, 1 if not, 2 for a wrong option.
      """;

  static Options parse(String... args) {
    boolean h2 = false;
    boolean fast = false;
    boolean serve = false;
    boolean help = false;
    for (String arg : args) {
      switch (arg) {
        case "--h2" -> h2 = true;
        case "--fast" -> fast = true;
        case "--serve" -> serve = true;
        case "--help", "-h" -> help = true;
        default ->
            throw new IllegalArgumentException(
                "unknown option '" + arg + "'; known are --h2, --fast, --serve and --help");
      }
    }
    if (fast && serve) {
      throw new IllegalArgumentException("--fast and --serve exclude each other; give one");
    }
    return new Options(h2, fast, serve, help);
  }
}
