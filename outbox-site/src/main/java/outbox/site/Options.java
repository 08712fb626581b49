package outbox.site;

/** What the command line asks for. */
record Options(boolean api, boolean help) {
  static final String HELP =
      """
      Usage: site [--no-api]

      Makes a site of the documents, with search and the Javadoc of the published modules, in
      target/site. It opens from the disk and needs no server. Checks that each of its relative
      links and anchors leads somewhere.

        --no-api   leave out the Javadoc: seconds instead of a minute
        --help     this text

      Exit status: 0 if all links resolve, 1 if not or if javadoc fails, 2 for a wrong option.
      """;

  static Options parse(String... args) {
    boolean api = true;
    boolean help = false;
    for (String arg : args) {
      switch (arg) {
        case "--no-api" -> api = false;
        case "--help", "-h" -> help = true;
        default ->
            throw new IllegalArgumentException(
                "unknown option '" + arg + "'; known are --no-api and --help");
      }
    }
    return new Options(api, help);
  }
}
