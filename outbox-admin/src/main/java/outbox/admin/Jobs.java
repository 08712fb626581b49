package outbox.admin;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.admin.metrics.Count;

/** The long pieces of work of this process: those that run, and the last ones that ended. */
final class Jobs implements AutoCloseable {
  static final int MAX_RUNNING = 4;

  private static final int MAX_KEPT = 100;
  private static final int CLOSE_SECONDS = 10;

  private static final Logger LOG = System.getLogger(Jobs.class.getName());

  private final SecureRandom random = new SecureRandom();
  private final Map<String, Job> jobs = new LinkedHashMap<>();
  private final AtomicInteger threads = new AtomicInteger();
  private final ExecutorService workers =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "outbox-admin-job-" + threads.incrementAndGet());
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Takes a place for a job; it counts as running from now on, and {@link #run} must follow.
   *
   * @throws Problem 409 if enough run already
   */
  Job open(String what, Caller by, Count total) {
    Job job = new Job(nextId(), what, by, total);
    add(job);
    return job;
  }

  /**
   * @param ended runs when the job has ended, however it did
   */
  void run(Job job, Job.Work work, Runnable ended) {
    workers.execute(() -> work(job, work, ended));
  }

  private synchronized void add(Job job) {
    List<Job> ended = jobs.values().stream().filter(it -> it.state() != Job.State.RUNNING).toList();
    if (jobs.size() - ended.size() >= MAX_RUNNING) {
      throw Problem.clash(
          MAX_RUNNING + " bulk actions run already; wait for one to end, or stop one.");
    }
    if (jobs.size() >= MAX_KEPT) {
      jobs.remove(ended.get(0).id());
    }
    jobs.put(job.id(), job);
  }

  private static void work(Job job, Job.Work work, Runnable ended) {
    try {
      job.run(work);
    } catch (RuntimeException | Error e) {
      LOG.log(Level.WARNING, "OUTBOX_ADMIN_JOB_FAILED job=" + job.id(), e);
    } finally {
      ended.run();
    }
  }

  /**
   * @throws Problem 404 if there is no such job, or not in this process, or not any more
   */
  synchronized Job find(String id) {
    Job job = jobs.get(id);
    if (job == null) {
      throw Problem.notFound("This process knows no such job; the log tells what became of it.");
    }
    return job;
  }

  private String nextId() {
    byte[] bytes = new byte[8];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** Stops what runs, and waits for its batch to end. */
  @Override
  public void close() {
    synchronized (this) {
      jobs.values().forEach(Job::stop);
    }
    workers.shutdown();
    try {
      if (!workers.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.log(Level.WARNING, "OUTBOX_ADMIN_JOBS_LEFT after=" + CLOSE_SECONDS + "s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
