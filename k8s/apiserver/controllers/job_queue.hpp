#pragma once

#include "k8s/objects.hpp"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

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
  /// When it may be done again; in the past if it may be done now.
  time_point next() const;

private:
  double most_;
  double per_second_;
  double left_;
  time_point at_;
};

/// Which Job may create the next pod. Each namespace has an allowance of its
/// own, of which its Jobs take one pod after another in turn: a Job that has to
/// wait waits behind those that wait already.
class job_pod_turns {
public:
  /// Whether the Job may create a pod now. If not, it waits.
  bool take(const std::string& ns, const std::string& uid, time_point now);
  /// The Job wants no pod.
  void leave(const std::string& ns, const std::string& uid);
  /// The Job of the namespace whose turn is next, and when.
  std::optional<std::pair<std::string, time_point>>
  next(const std::string& ns) const;
  void forget_namespace(const std::string& ns) { namespaces_.erase(ns); }

private:
  struct turns {
    job_allowance allowance{100, 20};
    std::deque<std::string> order;
    std::set<std::string> waiting; ///< The same.
  };

  std::map<std::string, turns> namespaces_;
};

} // namespace troupe::k8s::apiserver
