/*
 * Loaded before the C library (LD_PRELOAD): moves the time of day of one process and of its children.
 * The file that CHAOS_CLOCK names holds the offset in nanoseconds, as a 64-bit integer in native order.
 * CLOCK_MONOTONIC stays as it is, and a wait until a time of day takes as long as without the offset.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NANOS 1000000000L

/* Seconds of CLOCK_MONOTONIC are fewer, those of the time of day are more. */
#define LEAST_TIME_OF_DAY 1000000000L

static volatile const int64_t *offset;
static int (*next_gettime)(clockid_t, struct timespec *);
static int (*next_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

__attribute__((constructor)) static void map_offset(void) {
  const char *path = getenv("CHAOS_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file >= 0) {
    void *page = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
    offset = page == MAP_FAILED ? NULL : page;
    close(file);
  }
}

static struct timespec moved(const struct timespec *time, int64_t by) {
  int64_t nanos = time->tv_nsec + by % NANOS;
  struct timespec result = {time->tv_sec + by / NANOS, nanos};
  if (nanos < 0) {
    result.tv_sec--;
    result.tv_nsec += NANOS;
  } else if (nanos >= NANOS) {
    result.tv_sec++;
    result.tv_nsec -= NANOS;
  }
  return result;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!next_gettime) {
    next_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  }
  int result = next_gettime(clock, time);
  if (result == 0 && offset && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    *time = moved(time, *offset);
  }
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) {
    *result = now.tv_sec;
  }
  return now.tv_sec;
}

/* dlsym may find the oldest version of this function, whose conditions have another layout. */
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
  if (!next_timedwait) {
    void *current = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    next_timedwait = current ? current : dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  }
  if (!offset || until->tv_sec < LEAST_TIME_OF_DAY) {
    return next_timedwait(condition, mutex, until);
  }
  struct timespec actual = moved(until, -*offset);
  return next_timedwait(condition, mutex, &actual);
}
