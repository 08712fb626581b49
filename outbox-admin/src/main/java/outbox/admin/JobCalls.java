package outbox.admin;

import java.util.List;
import java.util.Set;

/** Long pieces of work: followed and stopped. */
record JobCalls(Jobs jobs, ActionLog log) {

  List<Route> routes() {
    return List.of(
        Route.get("/jobs/{job}", Set.of("db"), this::show),
        Route.post("/jobs/{job}/stop", Set.of("db"), Set.of(), this::stop));
  }

  private Answer show(Call call) {
    return Answer.json(job(call).toJson());
  }

  private Answer stop(Call call) {
    Job job = job(call);
    job.stop();
    log.done(call.caller(), "stop", "job", job.id());
    return Answer.json(job.toJson());
  }

  private Job job(Call call) {
    return jobs.find(call.pathText("job", EventCalls.MAX_ID));
  }
}
