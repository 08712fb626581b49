package outbox.chaos.node;

import java.util.Random;

/** One kind of load: a step of it is one transaction or one round of a worker. */
@FunctionalInterface
interface Work {
  void step(Random random) throws Exception;
}
