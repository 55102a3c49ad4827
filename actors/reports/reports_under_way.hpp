#pragma once

#include "k8s/http/server.hpp"

#include <atomic>
#include <cstddef>
#include <memory>

namespace troupe::actors {

/// How many reports wait for their answers, of all clients of a port that
/// others use, too: they must have room there. Any thread.
class reports_under_way {
public:
  static constexpr std::size_t most = 256;

  /// A writer for one more report, which counts until it is dropped; nullptr if
  /// there are too many. Its connection ends with the answer: pods that report
  /// now and then do not keep one.
  k8s::http::response_writer_ptr
  add_or_null(const k8s::http::response_writer_ptr& back);

  std::size_t count() const { return *count_; }

private:
  std::shared_ptr<std::atomic<std::size_t>> count_ =
      std::make_shared<std::atomic<std::size_t>>(0);
};

} // namespace troupe::actors
