#include "actors/metrics/di_server_metrics.hpp"

#include "actors/metrics/families.hpp"

namespace troupe::actors {

di_server_metrics::di_server_metrics(prometheus::Registry& r)
    : requests_(add_counter_family(
        r, "troupe_di_server_requests_total",
        "Requests to di-server by page, method and HTTP status; one that "
        "was forwarded to the leader is counted by both replicas"))
    , times_(add_histogram_family(
          r, "troupe_di_server_request_duration_seconds",
          "Time from a request to di-server to its response, with the "
          "calls to the API server that it led to")) {
  // Rates need a first value.
  for (const char* method : {"GET", "POST", "DELETE"})
    series_of("/v1alpha1/replicas", method, 200);
}

di_server_metrics::series
di_server_metrics::series_of(const std::string& page, const std::string& method,
                             int status) {
  return {requests_.Add(metric_labels{{"page", page},
                                      {"method", method},
                                      {"code", std::to_string(status)}}),
          times_.Add(metric_labels{{"page", page}, {"method", method}},
                     histogram_bounds{.005, .01, .025, .05, .1, .25, .5, 1, 2.5,
                                      5, 10, 30, 60})};
}

void di_server_metrics::observe_request(const std::string& page,
                                        const std::string& method, int status,
                                        double seconds) {
  auto of_this = series_of(page, method, status);
  of_this.requests.Increment();
  of_this.times.Observe(seconds);
}

} // namespace troupe::actors
