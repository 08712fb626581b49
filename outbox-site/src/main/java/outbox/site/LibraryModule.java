package outbox.site;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A published module of the repository.
 *
 * @param name its directory
 * @param packages what it exports to everyone; all its packages if it has no module-info
 */
record LibraryModule(String name, List<String> packages) {
  private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
  private static final String UNPUBLISHED = "<skipPublishing>true</skipPublishing>";

  /** Returns the published modules that have sources, in the order of the parent POM. */
  static List<LibraryModule> published(Path root) throws IOException {
    List<String> names =
        MODULE
            .matcher(Files.readString(root.resolve("pom.xml")))
            .results()
            .map(module -> module.group(1))
            .toList();
    Stream.Builder<LibraryModule> modules = Stream.builder();
    for (String name : names) {
      Path module = root.resolve(name);
      if (Files.isDirectory(sources(root, name))
          && !Files.readString(module.resolve("pom.xml")).contains(UNPUBLISHED)) {
        modules.add(new LibraryModule(name, packages(module)));
      }
    }
    return modules.build().toList();
  }

  /** Returns the sources of the packages. */
  List<Path> sources(Path root) throws IOException {
    Stream.Builder<Path> files = Stream.builder();
    for (String exported : packages) {
      try (Stream<Path> sources =
          Files.list(sources(root, name).resolve(exported.replace('.', '/')))) {
        sources.filter(LibraryModule::isJava).sorted().forEach(files);
      }
    }
    return files.build().toList();
  }

  private static Path sources(Path root, String module) {
    return root.resolve(module).resolve("src/main/java");
  }

  private static List<String> packages(Path module) throws IOException {
    Predicate<String> exported = exported(module.resolve("target/classes/module-info.class"));
    Path sources = module.resolve("src/main/java");
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .filter(LibraryModule::isJava)
          .map(file -> sources.relativize(file).getParent())
          .filter(folder -> folder != null)
          .map(folder -> folder.toString().replace('\\', '/').replace('/', '.'))
          .filter(exported)
          .distinct()
          .sorted()
          .toList();
    }
  }

  private static Predicate<String> exported(Path descriptor) throws IOException {
    if (!Files.exists(descriptor)) {
      return name -> true;
    }
    try (InputStream in = Files.newInputStream(descriptor)) {
      return ModuleDescriptor.read(in).exports().stream()
              .filter(exports -> !exports.isQualified())
              .map(ModuleDescriptor.Exports::source)
              .collect(Collectors.toSet())
          ::contains;
    }
  }

  private static boolean isJava(Path file) {
    return file.toString().endsWith(".java");
  }
}
