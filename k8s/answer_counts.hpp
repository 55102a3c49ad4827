#pragma once

#include "k8s/api.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace troupe::k8s {

/// The HTTP method of a call; a constant, so its address tells it apart.
const char* http_method(verb what);

/// How often an API server answered, by HTTP method and status. Thread-safe.
class answer_counts {
public:
  struct row {
    std::string method; ///< "GET".
    int status = 0;     ///< 0: there was no answer.
    std::uint64_t times = 0;
  };

  /// `host`: of the server, with its port.
  explicit answer_counts(std::string host);

  void add(verb what, int status);

  const std::string& host() const { return host_; }
  std::vector<row> rows() const;

private:
  const std::string host_;
  mutable std::mutex mutex_;
  std::map<std::pair<const char*, int>, std::uint64_t> counts_;
};

/// "10.0.0.1:6443" of "https://10.0.0.1:6443/path".
std::string host_of(const std::string& server);

} // namespace troupe::k8s
