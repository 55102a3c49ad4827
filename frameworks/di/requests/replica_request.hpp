#pragma once

#include "frameworks/core/pass/job_request.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace troupe::frameworks::di {

enum class request_verb : std::uint8_t {
  list,    ///< Which replicas are there.
  add,     ///< More of them.
  remove,  ///< Some of them.
  replace, ///< New ones for those that failed.
};

/// How many replicas, and what each gets. Quantities are written the shortest
/// way; "" keeps those of the template.
struct replica_amount {
  std::int64_t replicas = 0;
  std::int64_t gpu_count = 0; ///< `gpus`, rounded up.
  std::string cpus;
  std::string gpus;
  std::string memory;
};

/// One request to di-server.
struct replica_request : core::job_request {
  bool may_change_replicas() const override {
    return verb != request_verb::list;
  }

  request_verb verb = request_verb::list;
  /// A pod of the job, by which the job is found. "" with an `aggregator`, and
  /// in a list of all jobs.
  std::string coordinator;
  std::string aggregator;    ///< Lists the processes of this one.
  replica_amount collectors; ///< Of add and remove.
  replica_amount learners;
  /// Of replace: names of pods, none twice.
  std::vector<std::string> failed_collectors;
  std::vector<std::string> failed_learners;

  /// The pod by which the job is found; "" for a list of several jobs.
  const std::string& job_lookup_pod() const;
};

/// The pods that a report names.
std::vector<std::string> all_reported_pods(const replica_request& q);

/// Whether a report names this pod.
bool is_reported_pod(const replica_request& q, const std::string& pod);

using replica_request_ptr = std::shared_ptr<const replica_request>;

/// An HTTP request.
struct http_request {
  std::string method;
  std::string path;
  std::map<std::string, std::string> query;
  std::string body;
};

/// Decodes a request. Gives the response instead if no job has to be asked.
std::variant<replica_request_ptr, core::job_response>
decode_replica_request(const http_request& q, const std::string& source);

/// The jobs that a pod of this name can belong to: x-ddp-learner-bcdfg is a ddp
/// learner of x or a learner of x-ddp.
std::vector<std::string> possible_jobs_of_pod(const std::string& pod);

/// Whether the path is one of requests about replicas, for any method.
bool is_replica_path(const std::string& path);

} // namespace troupe::frameworks::di
