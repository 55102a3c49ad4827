#include "frameworks/di/tasks/tasks_addresses.hpp"

#include "frameworks/core/observed/observed.hpp"
#include "frameworks/di/base/dijob_pods.hpp"
#include "frameworks/di/requests/replica_lists.hpp"
#include "frameworks/di/requests/request_errors.hpp"
#include "frameworks/di/tasks/tasks_pods.hpp"
#include "frameworks/di/tasks/tasks_request.hpp"
#include "k8s/json.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace troupe::frameworks::di {

namespace {

using core::child_view;
using core::observed_children;
using core::request_inputs;
using core::request_step;

/// A job may ask for so many replicas that no list of them would fit.
constexpr std::size_t most_ranks = 100'000;

/// Of several pods of one slot, one that has an address.
std::map<core::slot, const child_view*>
pods_with_address_by_slot(const observed_children& seen) {
  std::map<core::slot, const child_view*> result;
  for (const auto& pod : seen.pods())
    if (pod.owned && !pod.terminating && pod.details
        && !pod.details->ips.empty())
      result[pod.at] = &pod;
  return result;
}

std::string address_and_port_of(const child_view& pod) {
  auto port = tasks::default_port;
  for (const auto& p : pod.details->ports)
    if (p.name == main_port)
      port = p.port;
  return pod.details->ips.front() + ":" + std::to_string(port);
}

/// The first rank of each task's pods is the number of pods before it.
std::vector<std::string> list_addresses_by_rank(const core::job& j,
                                                const observed_children& seen) {
  std::vector<std::string> result;
  const auto pods = pods_with_address_by_slot(seen);
  for (const auto& task : j.replicas)
    for (std::int32_t i = 0; i < task.replicas && result.size() < most_ranks;
         ++i) {
      auto pod = pods.find({task.label, i});
      result.push_back(pod == pods.end() ? ""
                                         : address_and_port_of(*pod->second));
    }
  return result;
}

class task_request_execution : public core::request_execution {
public:
  explicit task_request_execution(task_request_ptr request)
      : request_(std::move(request)) {}

  request_step begin(const request_inputs& in) override {
    return {{}, {}, addresses_response(in)};
  }

  // There is nothing to read or to do.
  request_step on_read_response(std::size_t, const k8s::result<std::string>&,
                                const request_inputs& in) override {
    return begin(in);
  }
  request_step on_order_done(const core::order_done&,
                             const request_inputs& in) override {
    return begin(in);
  }
  request_step on_order_failed(const core::decision&, const k8s::failure&,
                               const request_inputs& in) override {
    return begin(in);
  }

private:
  core::job_response addresses_response(const request_inputs& in) const {
    if (!is_request_source_allowed(*request_, in.seen))
      return no_pod_of_job_response(*request_, in.of, "null");
    core::job_response r{200, success_message(request_->verb)};
    if (request_->verb == task_verb::list)
      r.data = addresses_by_rank_json_or_null(in.of, in.seen);
    return r;
  }

  task_request_ptr request_;
};

} // namespace

std::string addresses_by_rank_json_or_null(const core::job& j,
                                           const observed_children& seen) {
  auto all = list_addresses_by_rank(j, seen);
  if (std::all_of(all.begin(), all.end(),
                  [](const auto& a) { return a.empty(); }))
    return "null";
  return k8s::to_text(all);
}

std::unique_ptr<core::request_execution>
make_task_request_execution(const core::job_request_ptr& request) {
  return std::make_unique<task_request_execution>(
      std::static_pointer_cast<const task_request>(request));
}

} // namespace troupe::frameworks::di
