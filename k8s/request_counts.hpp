#pragma once

#include "k8s/api.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace troupe::k8s {

/// The HTTP method of a call; a constant, so its address identifies it.
const char* http_method(verb what);

/// How many requests were sent to an API server, by HTTP method and status of
/// the answer. Thread-safe.
class request_counts {
public:
  struct row {
    std::string method; ///< "GET".
    int status = 0;     ///< 0: there was no answer.
    std::uint64_t times = 0;
  };

  /// `host`: of the server, with its port.
  explicit request_counts(std::string host);

  /// `status` 0: there was no answer.
  void count(verb what, int status);

  const std::string& host() const { return host_; }
  std::vector<row> rows() const;

private:
  const std::string host_;
  mutable std::mutex mutex_;
  std::map<std::pair<const char*, int>, std::uint64_t> counts_;
};

} // namespace troupe::k8s
