/** API, SPI and engine of the outbox. Needs nothing but the JDK at run time. */
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
  exports outbox.retention;
  exports outbox.routing;
  exports outbox.spi;
  exports outbox.util;
}
