#pragma once

#include "k8s/objects.hpp"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace troupe::k8s::apiserver {

/// UIDs of Jobs that wait for their turn, each once. Namespaces take turns, and
/// the Jobs within each, so that nobody waits for more than one Job of each
/// other namespace.
class job_queue {
public:
  void add(const std::string& ns, const std::string& uid);
  std::optional<std::string> take();
  bool empty() const { return namespaces_.empty(); }

private:
  std::deque<std::string> namespaces_; ///< Those that have Jobs here.
  std::map<std::string, std::deque<std::string>> jobs_;
  std::set<std::string> waiting_;
};

/// What may be done at once, and how fast that comes back.
class job_allowance {
public:
  job_allowance(double most, double per_second)
      : most_(most)
      , per_second_(per_second)
      , left_(most) {}

  /// Whether it may be done now; if so, that is taken off.
  bool take(time_point now);
  /// When it may be done again, if it may not be now.
  time_point next(time_point now) const;

private:
  double most_;
  double per_second_;
  double left_;
  time_point at_;
};

} // namespace troupe::k8s::apiserver
