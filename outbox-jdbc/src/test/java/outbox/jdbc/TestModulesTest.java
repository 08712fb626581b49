package outbox.jdbc;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the modules for tests depend on, and who may depend on them. */
class TestModulesTest {
  private static final JavaClasses KIT = classesOf("outbox-testing");
  private static final JavaClasses CONTRACTS = classesOf("outbox-contracts");
  private static final Pattern DEPENDENCY = Pattern.compile("(?s)<dependency>(.*?)</dependency>");

  private static JavaClasses classesOf(String module) {
    Pattern place =
        Pattern.compile(".*/(%1$s)/target/(classes/|%1$s-[^/]*\\.jar!/).*".formatted(module));
    return new ClassFileImporter()
        .withImportOption(location -> location.matches(place))
        .importPackages("outbox");
  }

  @Test
  void onlyExtensionAndAssertionsOfTheKitNeedTestLibraries() {
    noClasses()
        .that()
        .haveNameNotMatching("outbox\\.testing\\.(OutboxExtension.*|OutboxAssertions|\\w+Assert)")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.junit..", "org.assertj..", "org.awaitility..")
        .check(KIT);
  }

  @Test
  void theKitBringsNoTestLibraryAlong() throws IOException {
    assertThat(broughtAlong("outbox-testing")).containsExactly("outbox-core");
    assertThat(broughtAlong("outbox-spring-boot-test"))
        .containsExactly("outbox-spring-boot-autoconfigure", "outbox-testing");
  }

  @Test
  void nothingThatAnApplicationRunsBringsTheModulesForTestsAlong() throws IOException {
    try (Stream<Path> folders = Files.list(Path.of(".."))) {
      List<String> others =
          folders
              .filter(folder -> Files.exists(folder.resolve("pom.xml")))
              .map(folder -> String.valueOf(folder.getFileName()))
              .filter(module -> !module.matches("outbox-spring-boot-test|benchmarks"))
              .toList();
      assertThat(others).hasSizeGreaterThan(10);
      for (String module : others) {
        assertThat(broughtAlong(module))
            .as("%s", module)
            .doesNotContain("outbox-testing", "outbox-contracts", "outbox-spring-boot-test");
      }
    }
  }

  @Test
  void packagesAreFreeOfCyclesAndSmall() {
    slices().matching("outbox.(**)").should().beFreeOfCycles().check(KIT);
    slices().matching("outbox.(**)").should().beFreeOfCycles().check(CONTRACTS);
    for (JavaClasses module : List.of(KIT, CONTRACTS)) {
      Map<String, List<JavaClass>> packages =
          module.stream()
              .filter(JavaClass::isTopLevelClass)
              .collect(groupingBy(JavaClass::getPackageName));
      assertThat(packages)
          .hasSizeGreaterThan(1)
          .allSatisfy((name, classes) -> assertThat(classes).as(name).hasSizeLessThan(26));
    }
  }

  /** What comes into the class path of whoever depends on the module. */
  private static List<String> broughtAlong(String module) throws IOException {
    String pom =
        Files.readString(Path.of("..", module, "pom.xml"))
            .replaceAll("(?s)<dependencyManagement>.*?</dependencyManagement>", "")
            .replaceAll("(?s)<exclusions>.*?</exclusions>", "");
    return DEPENDENCY
        .matcher(pom)
        .results()
        .map(found -> found.group(1))
        .filter(found -> !found.contains("<optional>true</optional>"))
        .filter(found -> !found.matches("(?s).*<scope>(test|provided)</scope>.*"))
        .map(found -> found.replaceAll("(?s).*<artifactId>(.*?)</artifactId>.*", "$1"))
        .toList();
  }
}
