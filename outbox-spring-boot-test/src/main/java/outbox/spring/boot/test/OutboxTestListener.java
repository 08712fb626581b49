package outbox.spring.boot.test;

import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.support.AbstractTestExecutionListener;
import outbox.testing.PublishedEvents;

/** Gives each test of a class with {@link AutoConfigureOutboxTest} an outbox without events. */
final class OutboxTestListener extends AbstractTestExecutionListener {

  OutboxTestListener() {}

  /** Before the transaction of the test begins (4000) and before scripts of SQL run (5000). */
  @Override
  public int getOrder() {
    return 3900;
  }

  @Override
  public void beforeTestMethod(TestContext context) {
    AutoConfigureOutboxTest wanted =
        TestContextAnnotationUtils.findMergedAnnotation(
            context.getTestClass(), AutoConfigureOutboxTest.class);
    if (wanted == null) {
      return;
    }
    ApplicationContext beans = context.getApplicationContext();
    beans.getBean(TestedOutboxes.class).pause();
    if (wanted.clean()) {
      beans.getBean(OutboxTables.class).clean();
    }
    beans.getBean(PublishedEvents.class).reset();
  }
}
