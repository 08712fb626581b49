package outbox.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command as a process of its own, on the class path of the tests. */
final class OwnProcess {
  private OwnProcess() {}

  static List<String> command(List<String> arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "outbox.cli.Main"));
    command.addAll(arguments);
    return command;
  }
}
