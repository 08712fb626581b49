package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.OptionTable;
import outbox.model.OutboxEvent;

/**
 * No builder of the core is without a table of its options. The fields of a stored event are no
 * options.
 */
class EveryBuilderTest {
  @Test
  void everyBuilderHasATable() {
    Set<String> tables =
        Stream.of(
                DispatcherOptionsTest.OPTIONS,
                QueueOptionsTest.OPTIONS,
                StoresOptionsTest.OPTIONS,
                EnvelopeOptionsTest.OPTIONS)
            .map(OptionTable::builders)
            .flatMap(Collection::stream)
            .map(Class::getName)
            .collect(Collectors.toSet());

    assertThat(new ClassFileImporter().importPackages("outbox"))
        .filteredOn(type -> type.getSimpleName().endsWith("Builder"))
        .filteredOn(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
        .filteredOn(type -> !type.isEquivalentTo(OutboxEvent.Builder.class))
        .filteredOn(type -> !type.getPackageName().equals("outbox.testing"))
        .extracting(JavaClass::getName)
        .containsExactlyInAnyOrderElementsOf(tables);
  }
}
