#pragma once

#include "actors/protocols.hpp"
#include "frameworks/di/replica_request.hpp"
#include "frameworks/di/tasks_request.hpp"
#include "k8s/http/server.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe::actors {

/// A request to di-server, and the way back.
template <class Request>
struct di_server_question {
  std::shared_ptr<const Request> request;
  k8s::http::response_writer_ptr back;
  /// How often it was refused because no pod has the client's address.
  int refusals = 0;
};

/// About a job with a coordinator.
using replica_question = di_server_question<frameworks::di::replica_request>;
/// About a job of tasks.
using task_question = di_server_question<frameworks::di::task_request>;

} // namespace troupe::actors

TROUPE_LOCAL_ONLY(replica_question)
TROUPE_LOCAL_ONLY(task_question)

namespace troupe::actors {

/// Asks the jobs for what requests to di-server want, and responds.
using di_server_actor = caf::typed_actor<
    // Respond to it.
    caf::reacts_to<replica_question>,
    // Respond to it.
    caf::reacts_to<task_question>>;

class di_server_state {
public:
  static inline const char* name = "di-server";

  explicit di_server_state(di_server_actor::pointer self)
      : self_(self) {}

  void init(root_actor root) { root_ = std::move(root); }
  void on_question(const replica_question& q);
  void on_task_question(const task_question& q);

private:
  using job_names = std::vector<std::string>;

  void ask_all(const replica_question& q);
  /// The kubelet may not have told the address of a pod that has just started:
  /// such a refusal is final after some seconds only.
  template <class Question>
  bool ask_again_later(Question q, const job_response& r);
  /// Asks the last of these jobs, and the one before if it has not the pod.
  void ask(const replica_question& q, job_names candidates,
           job_response otherwise);

  di_server_actor::pointer self_;
  root_actor root_;
};

di_server_actor::behavior_type
di_server(di_server_actor::stateful_pointer<di_server_state> self,
          root_actor root);

} // namespace troupe::actors
