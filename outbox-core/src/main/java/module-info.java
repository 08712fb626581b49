/** API, SPI and engine of the outbox. Needs nothing but the JDK at run time. */
@SuppressWarnings("module") // the modules that the internal packages are exported to come later
module dev.outbox.core {
  requires transitive java.sql;
  requires static transitive org.jspecify;

  uses outbox.PayloadCodec;

  exports outbox;
  exports outbox.dispatch;
  exports outbox.inbox;
  exports outbox.join;
  exports outbox.metrics;
  exports outbox.model;
  exports outbox.poller;
  exports outbox.registry;
  exports outbox.routing;
  exports outbox.spi;
  exports outbox.util;
  exports outbox.internal.batch to
      dev.outbox.jdbc;
  exports outbox.internal.engine.health to
      dev.outbox.jdbc;
  exports outbox.internal.broker to
      dev.outbox.kafka,
      dev.outbox.rabbitmq,
      dev.outbox.webhook;
  exports outbox.internal.connection to
      dev.outbox.admin.data,
      dev.outbox.jdbc,
      dev.outbox.spring;
  exports outbox.internal.handler to
      dev.outbox.jdbc;
  exports outbox.internal.guard to
      dev.outbox.spring.boot;
  exports outbox.internal.retention to
      dev.outbox.jdbc;
  exports outbox.internal.text to
      dev.outbox.admin,
      dev.outbox.admin.data,
      dev.outbox.jdbc;
  exports outbox.internal.util to
      dev.outbox.jdbc;
}
