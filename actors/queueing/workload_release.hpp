#pragma once

#include "actors/base/messages.hpp"
#include "k8s/api.hpp"
#include "k8s/json.hpp"

#include <string>
#include <variant>

namespace troupe::actors {

/// The way of one Workload of a job that is gone: its quota is given back when
/// no pod of the job is left. A value. Everything is looked at anew after a
/// failure, so it is right whoever begins it, and when.
class workload_release {
public:
  explicit workload_release(release_workload of)
      : of_(std::move(of)) {}

  const release_workload& of() const { return of_; }

  struct look_again {}; ///< Pods are left, or a call has failed.
  struct done {};       ///< It is gone, or others look after it.
  using step = std::variant<k8s::request, look_again, done>;

  /// From the beginning.
  step begin();
  step on_answer(const k8s::result<std::string>& answer, k8s::time_point now);

private:
  enum class phase : std::uint8_t { job, pods, workload, write };

  step on_job(const k8s::result<std::string>& answer);
  step on_pods(const k8s::result<std::string>& answer, k8s::time_point now);
  step on_workload(const k8s::result<std::string>& answer);
  bool is_live_pod_of_job(const k8s::object& pod, k8s::time_point now) const;
  bool is_meant(const k8s::json& workload) const;
  k8s::request list_pods() const;

  release_workload of_;
  phase at_ = phase::job;
  std::string page_; ///< The token of the next page of pods.
};

} // namespace troupe::actors
