package outbox.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.FileHandler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Sends the log of engine, pool and server to a file, so that the screen stays readable. */
final class DemoLog {
  private static final String FORMAT_PROPERTY = "java.util.logging.SimpleFormatter.format";

  private DemoLog() {}

  static void writeTo(Path file) throws IOException {
    if (System.getProperty(FORMAT_PROPERTY) == null) {
      System.setProperty(FORMAT_PROPERTY, "%1$tT.%1$tL %4$s %3$s: %5$s%6$s%n");
    }
    Files.createDirectories(file.toAbsolutePath().getParent());
    LogManager.getLogManager().reset();
    FileHandler handler = new FileHandler(file.toString());
    handler.setFormatter(new SimpleFormatter());
    Logger root = Logger.getLogger("");
    root.setLevel(Level.INFO);
    root.addHandler(handler);
  }
}
