package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.OptionTable;

/** No builder of this module is without a table of its options, and no option without a row. */
class EveryBuilderTest {
  private static final List<OptionTable<?>> TABLES =
      List.of(
          OutboxOptionsTest.OPTIONS,
          InboxOptionsTest.OPTIONS,
          OutboxesOptionsTest.OPTIONS,
          InboxesOptionsTest.OPTIONS,
          JdbcStoreOptionsTest.OPTIONS);

  @Test
  void everyBuilderHasATable() {
    Set<String> tables =
        TABLES.stream()
            .map(OptionTable::builders)
            .flatMap(Collection::stream)
            .map(Class::getName)
            .collect(Collectors.toSet());

    assertThat(new ClassFileImporter().importPackages("outbox.jdbc"))
        .filteredOn(type -> type.getSimpleName().endsWith("Builder"))
        .filteredOn(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
        .extracting(JavaClass::getName)
        .isSubsetOf(tables)
        .isNotEmpty();
  }

  @Test
  void everyOptionHasAnExperiment() {
    TABLES.forEach(OptionTable::assertComplete);
  }
}
