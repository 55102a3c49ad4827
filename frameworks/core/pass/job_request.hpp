#pragma once

#include "frameworks/core/model/decision.hpp"
#include "frameworks/core/observed/observed.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::core {

/// What a pod of a job asks of the operator while the job runs. Each kind of
/// job that takes requests derives its own.
struct job_request {
  virtual ~job_request() = default;

  /// Whether it may change something. Requests that change nothing do not wait
  /// for their turn, and their first step has the response.
  virtual bool may_change_replicas() const { return true; }

  std::string ns;
  /// The address that it came from; "" if everybody may ask.
  std::string source = {};
};

using job_request_ptr = std::shared_ptr<const job_request>;

struct job_response {
  int status = 200; ///< As of HTTP.
  std::string message;
  std::string data = "null"; ///< JSON text.
  /// The job does not have the pod that the request names; another job may.
  bool pod_unknown = false;
};

/// An object that must be read; with an empty name, the list of all.
struct object_to_read {
  k8s::resource type;
  std::string ns;
  std::string name;
};

/// All that a request may look at, as it is at the time of a step.
struct request_inputs {
  const job& of;
  const observed_children& seen;
  const cluster_options& cluster;
  const std::function<double()>& random; ///< Uniform in [0, 1).
  bool has_finished = false;             ///< By the status that is saved.
};

/// What there is to do next for a request.
struct request_step {
  std::vector<decision> decisions;
  std::vector<object_to_read> reads;
  std::optional<job_response> response; ///< If set, that was the last step.
};

/// One request to one job while it is carried out: a state machine without I/O.
/// Its owner does what each step says and reports every result to it; a step
/// without a response leads to at least one result.
class request_execution {
public:
  virtual ~request_execution() = default;

  virtual request_step begin(const request_inputs& in) = 0;
  /// The answer to the read of that number; reads are numbered from 0 over all
  /// steps.
  virtual request_step on_read_response(std::size_t number,
                                        const k8s::result<std::string>& answer,
                                        const request_inputs& in) = 0;
  virtual request_step on_order_done(const order_done& report,
                                     const request_inputs& in) = 0;
  virtual request_step on_order_failed(const decision& what,
                                       const k8s::failure& why,
                                       const request_inputs& in) = 0;
};

} // namespace troupe::core
