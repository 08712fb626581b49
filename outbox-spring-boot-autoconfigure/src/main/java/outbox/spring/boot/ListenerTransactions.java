package outbox.spring.boot;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.util.StringUtils;

/**
 * Decides which listener methods run in the transaction that completes their event: those that ask
 * for it, and those whose {@code @Transactional} would otherwise commit just before it.
 */
final class ListenerTransactions {
  private final TransactionAttributeSource attributes =
      new AnnotationTransactionAttributeSource(false);
  private final ListableBeanFactory beans;

  ListenerTransactions(ListableBeanFactory beans) {
    this.beans = beans;
  }

  /**
   * Whether the method is transactional.
   *
   * @param asked whether its annotation says so
   * @param database that of the outbox or inbox that it listens to
   * @param place who listens, for messages
   */
  boolean covers(
      boolean asked, Method method, Class<?> type, OutboxDatabase database, Object place) {
    boolean wanted = asked || Arrays.asList(method.getParameterTypes()).contains(Connection.class);
    TransactionAttribute attribute = attributes.getTransactionAttribute(method, type);
    if (attribute == null) {
      return wanted;
    }
    return switch (attribute.getPropagationBehavior()) {
      case TransactionDefinition.PROPAGATION_REQUIRED,
          TransactionDefinition.PROPAGATION_MANDATORY,
          TransactionDefinition.PROPAGATION_NESTED ->
          wanted || database.isOf(managerOf(attribute));
      case TransactionDefinition.PROPAGATION_SUPPORTS -> wanted;
      default -> {
        if (wanted) {
          throw apart(attribute.getPropagationBehavior(), place);
        }
        yield false;
      }
    };
  }

  /** The one that Spring would begin the transaction with; null if it could not tell either. */
  private @Nullable TransactionManager managerOf(TransactionAttribute attribute) {
    String qualifier = attribute.getQualifier();
    return StringUtils.hasText(qualifier)
        ? BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, TransactionManager.class, qualifier)
        : beans.getBeanProvider(TransactionManager.class).getIfUnique();
  }

  private static OutboxSetupException apart(int behavior, Object place) {
    String name =
        Arrays.stream(Propagation.values())
            .filter(each -> each.value() == behavior)
            .findFirst()
            .map(Propagation::name)
            .orElse("…");
    return new OutboxSetupException(
        place
            + " is to run in the transaction that completes its event, but its"
            + " @Transactional(propagation = "
            + name
            + ") takes it out of that transaction.",
        "Leave the propagation out, or leave transactional = true and the Connection parameter"
            + " out: then the writes of the method commit before the event is completed, and may"
            + " be repeated.");
  }
}
