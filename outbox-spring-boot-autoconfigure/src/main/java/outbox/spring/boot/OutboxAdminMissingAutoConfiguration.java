package outbox.spring.boot;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;

/** Stops the start of an application that enables the dashboard without its module. */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBooleanProperty(name = "outbox.admin.enabled")
@ConditionalOnMissingClass("outbox.admin.AdminServlet")
public class OutboxAdminMissingAutoConfiguration {

  /** Made by Spring; always refuses. */
  OutboxAdminMissingAutoConfiguration() {
    throw new OutboxSetupException(
        "outbox.admin.enabled is set, but the module outbox-admin is not on the class path.",
        "Add the dependency dev.outbox:outbox-admin, or set outbox.admin.enabled=false.");
  }
}
