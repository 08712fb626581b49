package outbox.demo;

/**
 * How much of everything is shown.
 *
 * @param calmOrders orders of the first act and of the second
 * @param ordersPerSecond how fast those are placed
 * @param faxOrders orders whose listener always fails
 * @param burstOrders orders placed as fast as the database takes them
 * @param crashOrders orders that the second node commits before it is killed
 */
record Scale(int calmOrders, int ordersPerSecond, int faxOrders, int burstOrders, int crashOrders) {
  static final Scale FULL = new Scale(600, 120, 12, 2500, 40);
  static final Scale FAST = new Scale(100, 100, 4, 400, 15);
}
