package outbox.spring.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Customers who place orders at a steady rate until the shop no longer answers. */
final class OrderLoad implements AutoCloseable {
  private static final int CUSTOMERS = 16;
  private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]+)\"");

  private final HttpClient http = HttpClient.newHttpClient();
  private final ExecutorService customers = Executors.newFixedThreadPool(CUSTOMERS);
  private final Queue<String> accepted = new ConcurrentLinkedQueue<>();
  private final AtomicInteger sent = new AtomicInteger();
  private final CountDownLatch enough;
  private final URI orders;
  private final int perSecond;
  private final long begin = System.nanoTime();

  /**
   * Begins at once.
   *
   * @param atLeast the orders that {@link #awaitEnough} waits for
   */
  OrderLoad(String baseUrl, int perSecond, int atLeast) {
    this.orders = URI.create(baseUrl + "/orders");
    this.perSecond = perSecond;
    this.enough = new CountDownLatch(atLeast);
    for (int i = 0; i < CUSTOMERS; i++) {
      customers.execute(this::orderUntilClosed);
    }
  }

  private void orderUntilClosed() {
    while (orderOne()) {
      long due = begin + sent.incrementAndGet() * TimeUnit.SECONDS.toNanos(1) / perSecond;
      LockSupport.parkNanos(due - System.nanoTime());
    }
  }

  private boolean orderOne() {
    HttpRequest request =
        HttpRequest.newBuilder(orders)
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"customer\":\"bob\",\"item\":\"book\",\"cents\":100}"))
            .build();
    try {
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      Matcher id = ID.matcher(response.body());
      if (response.statusCode() != 201 || !id.find()) {
        return false;
      }
      accepted.add(id.group(1));
      enough.countDown();
      return true;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Waits until so many orders were accepted that it makes sense to go on. */
  boolean awaitEnough() throws InterruptedException {
    return enough.await(10, TimeUnit.MINUTES);
  }

  /** Ids of the orders that the shop has confirmed. */
  Queue<String> accepted() {
    return accepted;
  }

  /** Accepted orders per second, from the first one until now. */
  double rate() {
    return accepted.size() * 1e9 / (System.nanoTime() - begin);
  }

  /** Waits until all customers have noticed that the shop is closed. */
  boolean awaitEnd() throws InterruptedException {
    customers.shutdown();
    return customers.awaitTermination(1, TimeUnit.MINUTES);
  }

  @Override
  public void close() {
    customers.shutdownNow();
  }
}
