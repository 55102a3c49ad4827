#pragma once

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <string>

namespace troupe::actors {

/// The responses of di-server. Thread-safe.
class di_server_metrics {
public:
  explicit di_server_metrics(prometheus::Registry& r);

  /// `page`: the path without names of jobs.
  void observe_request(const std::string& page, const std::string& method,
                       int status, double seconds);

private:
  struct series {
    prometheus::Counter& requests;
    prometheus::Histogram& times;
  };

  series series_of(const std::string& page, const std::string& method,
                   int status);

  prometheus::Family<prometheus::Counter>& requests_;
  prometheus::Family<prometheus::Histogram>& times_;
};

} // namespace troupe::actors
