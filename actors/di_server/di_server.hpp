#pragma once

#include "actors/base/job_pod_addresses.hpp"
#include "actors/base/protocols.hpp"
#include "frameworks/di/requests/replica_request.hpp"
#include "frameworks/di/tasks/tasks_request.hpp"
#include "k8s/http/server.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe::actors {

/// A request to di-server, and the writer of its response.
template <class Request>
struct di_server_call {
  std::shared_ptr<const Request> request;
  k8s::http::response_writer_ptr writer;
};

/// About a job with a coordinator.
using replica_call = di_server_call<frameworks::di::replica_request>;
/// About a job of tasks.
using task_call = di_server_call<frameworks::di::task_request>;

} // namespace troupe::actors

TROUPE_LOCAL_ONLY(replica_call)
TROUPE_LOCAL_ONLY(task_call)

namespace troupe::actors {

/// Passes requests to the jobs that they are about, and responds.
using di_server_actor = caf::typed_actor<
    // Respond to it.
    caf::reacts_to<replica_call>,
    // Respond to it.
    caf::reacts_to<task_call>>;

class di_server_state {
public:
  static inline const char* name = "di-server";

  explicit di_server_state(di_server_actor::pointer self)
      : self_(self) {}

  void init(root_actor root,
            std::shared_ptr<const job_pod_addresses> addresses) {
    root_ = std::move(root);
    addresses_ = std::move(addresses);
  }
  void on_replica_request(const replica_call& q);
  void on_task_request(const task_call& q);

private:
  using job_names = std::vector<std::string>;

  void forward_to_all_jobs(const replica_call& q);
  /// To the jobs that have a pod with the client's address.
  void forward_to_jobs_of_client(const replica_call& q);
  /// To the last of these jobs, and to the one before it if that job does not
  /// have the pod; `response_if_none` is the response if none has it.
  void forward_to_last_candidate_with_pod(const replica_call& q,
                                          job_names candidates,
                                          job_response response_if_none);

  di_server_actor::pointer self_;
  root_actor root_;
  std::shared_ptr<const job_pod_addresses> addresses_;
};

di_server_actor::behavior_type
di_server(di_server_actor::stateful_pointer<di_server_state> self,
          root_actor root, std::shared_ptr<const job_pod_addresses> addresses);

} // namespace troupe::actors
