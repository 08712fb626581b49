package outbox.benchmarks;

/** What a number of events took. CPU time in microseconds. */
record Usage(long events, double seconds, double serverCpu, double jvmCpu, long walBytes) {

  double rate() {
    return events / seconds;
  }

  double serverCpuPerEvent() {
    return serverCpu / events;
  }

  double jvmCpuPerEvent() {
    return jvmCpu / events;
  }

  double cpuPerEvent() {
    return (serverCpu + jvmCpu) / events;
  }

  double walPerEvent() {
    return (double) walBytes / events;
  }
}
