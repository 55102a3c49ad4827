#pragma once

#include "k8s/api.hpp"

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace troupe::cli {

/// The calls that the API server has refused to a client for lack of a right.
/// Thread-safe.
class refused_calls {
public:
  /// The answer to a call was this failure. A refusal is remembered, each
  /// message once, up to a limited number.
  void record_if_forbidden(const k8s::failure& why);
  /// The messages since the last call of this function.
  std::vector<std::string> take_new_messages();

private:
  std::mutex mutex_;
  std::set<std::string> known_;
  std::vector<std::string> fresh_;
};

/// A client that sends calls by `client`, and records in `into` which are
/// refused.
std::shared_ptr<k8s::api>
make_recording_client(std::shared_ptr<k8s::api> client,
                      std::shared_ptr<refused_calls> into);

} // namespace troupe::cli
