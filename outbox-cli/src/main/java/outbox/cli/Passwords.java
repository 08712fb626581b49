package outbox.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads secrets from where no other user of the machine can see them. */
final class Passwords {
  /** The variable that holds the password unless told otherwise: {@value}. */
  static final String VARIABLE = "OUTBOX_PASSWORD";

  private Passwords() {}

  static String ofVariable(String option, String variable) {
    String value = System.getenv(variable);
    if (value == null) {
      throw new WrongCallException(option + ": variable " + variable + " is not set");
    }
    return value;
  }

  /** The first line. */
  static String ofFile(String option, Path file) {
    try {
      return Files.readString(file).lines().findFirst().orElse("");
    } catch (IOException e) {
      throw new WrongCallException(option + ": " + file + " cannot be read");
    }
  }
}
