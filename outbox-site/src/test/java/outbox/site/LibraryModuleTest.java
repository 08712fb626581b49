package outbox.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibraryModuleTest {
  @TempDir private Path root;

  @Test
  void listsWhatPublishedModulesExportToEveryone() throws IOException {
    file("pom.xml", "<module>bom</module><module>core</module><module>demo</module>");
    file("bom/pom.xml", "<project/>");
    file("core/pom.xml", "<project/>");
    file("demo/pom.xml", "<skipPublishing>true</skipPublishing>");
    file("demo/src/main/java/demo/D.java", "package demo;");
    source("a/A.java", "package a; public class A {}");
    source("b/B.java", "package b; public class B {}");
    source("c/C.java", "package c; public class C {}");
    source("module-info.java", "module core { exports a; exports b to java.sql; }");
    compile();

    assertThat(LibraryModule.published(root))
        .singleElement()
        .satisfies(
            module -> {
              assertThat(module.name()).isEqualTo("core");
              assertThat(module.packages()).containsExactly("a");
              assertThat(module.sources(root))
                  .hasSize(1)
                  .allMatch(file -> file.endsWith("a/A.java"));
            });
  }

  @Test
  void listsAllPackagesOfAModuleWithoutDescriptor() throws IOException {
    file("pom.xml", "<module>core</module>");
    file("core/pom.xml", "<project/>");
    source("a/A.java", "package a; public class A {}");
    source("a/b/B.java", "package a.b; public class B {}");

    assertThat(LibraryModule.published(root))
        .singleElement()
        .satisfies(module -> assertThat(module.packages()).containsExactly("a", "a.b"));
  }

  private void source(String name, String text) throws IOException {
    file("core/src/main/java/" + name, text);
  }

  private void file(String name, String text) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private void compile() {
    Path sources = root.resolve("core/src/main/java");
    int status =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(
                System.out,
                System.err,
                "-d",
                root.resolve("core/target/classes").toString(),
                sources.resolve("module-info.java").toString(),
                sources.resolve("a/A.java").toString(),
                sources.resolve("b/B.java").toString());
    assertThat(status).isZero();
  }
}
