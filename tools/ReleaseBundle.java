import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Makes the bundle of a release from the folder that Maven has deployed to, and verifies it; or
 * compares two such folders.
 *
 * <p>{@code java tools/ReleaseBundle.java make FOLDER VERSION ZIP SIGNED MODULE...} wants for each
 * module the jar, its sources, its Javadoc, the SBOM and the POM, for {@code outbox-parent} the POM
 * and an SBOM, for {@code outbox-bom} the POM, for each file its checksums, and its signature if
 * SIGNED is {@code true}; and no other file. {@code java tools/ReleaseBundle.java compare FOLDER
 * FOLDER} wants the same files with the same bytes. Each ends with status 1 if something is wrong,
 * and says what.
 */
public final class ReleaseBundle {
  private static final String GROUP = "dev/outbox";
  private static final List<String> PARTS =
      List.of(".pom", ".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json", "-cyclonedx.xml");

  /** What a module has beside the parts of all. */
  private static final Map<String, List<String>> MORE = Map.of("outbox-cli", List.of("-all.jar"));

  private static final Map<String, String> CHECKSUMS =
      new TreeMap<>(
          Map.of("md5", "MD5", "sha1", "SHA-1", "sha256", "SHA-256", "sha512", "SHA-512"));

  /** What a POM must say by itself or by its parent. */
  private static final List<String> METADATA =
      List.of("name", "description", "url", "license", "developer", "scm");

  private static final LocalDateTime TIME_OF_ENTRIES = LocalDateTime.of(2026, 1, 1, 0, 0);

  private ReleaseBundle() {}

  public static void main(String[] args) throws IOException {
    List<String> problems = new ArrayList<>();
    if (args[0].equals("compare")) {
      compare(Path.of(args[1]), Path.of(args[2]), problems);
    } else {
      List<String> modules = List.of(args).subList(5, args.length);
      make(Path.of(args[1]), args[2], Path.of(args[3]), args[4].equals("true"), modules, problems);
    }
    problems.forEach(System.out::println);
    if (!problems.isEmpty()) {
      System.exit(1);
    }
  }

  private static void make(
      Path folder,
      String version,
      Path zip,
      boolean signed,
      List<String> modules,
      List<String> problems)
      throws IOException {
    Set<String> expected = new TreeSet<>();
    List.of(".pom", "-cyclonedx.json", "-cyclonedx.xml")
        .forEach(part -> expected.add(file("outbox-parent", version, part)));
    expected.add(file("outbox-bom", version, ".pom"));
    for (String module : modules) {
      PARTS.forEach(part -> expected.add(file(module, version, part)));
      MORE.getOrDefault(module, List.of())
          .forEach(part -> expected.add(file(module, version, part)));
    }
    if (signed) {
      List.copyOf(expected).forEach(file -> expected.add(file + ".asc"));
    }
    Set<String> present = files(folder);
    expected.stream()
        .filter(file -> !present.contains(file))
        .forEach(f -> problems.add("missing: " + f));
    present.stream()
        .filter(file -> !expected.contains(file))
        .forEach(f -> problems.add("not expected: " + f));
    if (!problems.isEmpty()) {
      return;
    }
    for (String file : expected) {
      if (file.endsWith(".pom")) {
        checkPom(folder, file, version, problems);
      }
      if (!file.endsWith(".asc")) {
        writeChecksums(folder.resolve(file));
      }
    }
    zip(folder, zip);
    System.out.printf(
        "%s: %d files of %d modules, %s%n",
        zip.getFileName(),
        expected.size(),
        modules.size() + 2,
        signed ? "signed" : "not signed, for lack of a key");
  }

  private static String file(String module, String version, String part) {
    return GROUP + "/" + module + "/" + version + "/" + module + "-" + version + part;
  }

  /** Without what the transport adds: checksums of its own choice, and lists of versions. */
  private static Set<String> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      Set<String> names = new TreeSet<>();
      all.filter(Files::isRegularFile)
          .map(file -> folder.relativize(file).toString().replace('\\', '/'))
          .filter(name -> !name.contains("/maven-metadata"))
          .filter(name -> CHECKSUMS.keySet().stream().noneMatch(sum -> name.endsWith("." + sum)))
          .forEach(names::add);
      return names;
    }
  }

  private static void checkPom(Path folder, String file, String version, List<String> problems)
      throws IOException {
    String pom = Files.readString(folder.resolve(file));
    String parent = Files.readString(folder.resolve(file("outbox-parent", version, ".pom")));
    boolean inherits = pom.contains("<parent>");
    for (String element : METADATA) {
      boolean own = pom.matches("(?s).*<" + element + "[ >].*");
      boolean ofItself = element.equals("name") || element.equals("description");
      if (!own && (ofItself || !inherits || !parent.contains("<" + element))) {
        problems.add(file + " has no " + element);
      }
    }
    if (pom.contains("-SNAPSHOT")) {
      problems.add(file + " names a SNAPSHOT");
    }
  }

  private static void writeChecksums(Path file) throws IOException {
    byte[] content = Files.readAllBytes(file);
    for (Map.Entry<String, String> sum : CHECKSUMS.entrySet()) {
      try {
        byte[] digest = MessageDigest.getInstance(sum.getValue()).digest(content);
        Files.writeString(
            file.resolveSibling(file.getFileName() + "." + sum.getKey()),
            HexFormat.of().formatHex(digest));
      } catch (NoSuchAlgorithmException e) {
        throw new IOException(e);
      }
    }
  }

  private static void zip(Path folder, Path zip) throws IOException {
    try (Stream<Path> all = Files.walk(folder);
        OutputStream out = Files.newOutputStream(zip);
        ZipOutputStream entries = new ZipOutputStream(out)) {
      List<Path> files =
          all.filter(Files::isRegularFile)
              .filter(file -> !file.getFileName().toString().startsWith("maven-metadata"))
              .sorted()
              .toList();
      for (Path file : files) {
        ZipEntry entry = new ZipEntry(folder.relativize(file).toString().replace('\\', '/'));
        entry.setTimeLocal(TIME_OF_ENTRIES);
        entries.putNextEntry(entry);
        Files.copy(file, entries);
        entries.closeEntry();
      }
    }
  }

  private static void compare(Path one, Path two, List<String> problems) throws IOException {
    Set<String> files = files(one);
    Set<String> others = files(two);
    Set<String> all = new TreeSet<>(files);
    all.addAll(others);
    for (String file : all) {
      if (!files.contains(file) || !others.contains(file)) {
        problems.add("in one build only: " + file);
      } else if (Files.mismatch(one.resolve(file), two.resolve(file)) >= 0) {
        problems.add("differs: " + file);
      }
    }
    if (problems.isEmpty()) {
      System.out.printf("%d files are the same, byte by byte%n", all.size());
    }
  }
}
