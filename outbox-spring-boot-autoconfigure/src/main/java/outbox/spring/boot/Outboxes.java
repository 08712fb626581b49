package outbox.spring.boot;

import java.util.Collection;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;

/** All outboxes among the beans: the application's own, and those that were added by hand. */
record Outboxes(ConfigurableListableBeanFactory beans, JdbcOutbox own) {

  Collection<JdbcOutbox> all() {
    return beans.getBeansOfType(JdbcOutbox.class).values();
  }

  Collection<JdbcInbox> inboxes() {
    return beans.getBeansOfType(JdbcInbox.class).values();
  }

  /** The outbox that a listener names, by bean name or qualifier; the own one without a name. */
  JdbcOutbox of(OutboxListener listener, Object place) {
    String name = listener.outbox();
    if (name.isEmpty()) {
      return own;
    }
    try {
      return BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, JdbcOutbox.class, name);
    } catch (NoSuchBeanDefinitionException e) {
      boolean several = e instanceof NoUniqueBeanDefinitionException;
      throw new OutboxSetupException(
          place
              + " listens to the outbox "
              + name
              + (several ? ", which are several beans." : ", which is no bean of type JdbcOutbox."),
          "Use one of: " + String.join(", ", beans.getBeanNamesForType(JdbcOutbox.class)) + ".",
          e);
    }
  }
}
