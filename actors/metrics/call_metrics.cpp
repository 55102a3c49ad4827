#include "actors/metrics/call_metrics.hpp"

#include "actors/base/messages.hpp"

namespace troupe::actors {

call_metrics::call_metrics(prometheus::Registry& r)
    : times_(add_histogram_family(
        r, "troupe_api_request_duration_seconds",
        "Time from sending a call to the API server to its response"))
    , calls_(add_counter_family(
          r, "troupe_api_requests_total",
          "Calls to the API server; code: ok, or why the call failed")) {
  auto& waits = add_histogram_family(
      r, "troupe_api_call_wait_seconds",
      "Time that a call to the API server waited in the operator before it was "
      "sent");
  constexpr const char* names[] = {"always", "normal", "low", "event"};
  for (std::size_t i = 0; i < waits_.size(); ++i)
    waits_[i] = &waits.Add(
        metric_labels{{"priority", names[i]}},
        histogram_bounds{.001, .005, .01, .05, .1, .5, 1, 5, 10, 30, 60, 300});
}

void call_metrics::observe_call(k8s::verb what, const std::string& resource,
                                const char* code, double seconds) {
  std::lock_guard guard{mutex_};
  const std::string verb = k8s::to_string(what);
  calls_
      .at(verb + ' ' + resource + ' ' + code,
          [&] {
            return metric_labels{
                {"verb", verb}, {"resource", resource}, {"code", code}};
          })
      .Increment();
  auto& times = times_of_verb_[verb];
  if (!times)
    times = &times_.Add(
        metric_labels{{"verb", verb}},
        histogram_bounds{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30});
  times->Observe(seconds);
}

void call_metrics::observe_wait(call_priority priority, double seconds) {
  waits_[static_cast<std::size_t>(priority)]->Observe(seconds);
}

} // namespace troupe::actors
