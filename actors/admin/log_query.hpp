#pragma once

#include "k8s/http/server.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace troupe::actors {

// What a request for a pod's log asks for, and whether it is allowed. Pure.

struct log_query {
  std::string container; ///< "": see choose_log_container().
  bool previous = false; ///< Of the container's previous run.
  int lines = 500;       ///< How many lines, from the end.
};

/// The parameters `container`, `previous` and `lines`. An error names the
/// parameter.
k8s::result<log_query> parse_log_query(const k8s::http::request& q);

/// What a job's report says of one of its pods.
struct logged_pod {
  std::string uid;
  std::string main_container; ///< "" if it is not known.
};

/// The pod of this name whose controller the job is; ec::not_found for every
/// other.
k8s::result<logged_pod> find_logged_pod(const nlohmann::json& report,
                                        const std::string& pod);

/// The containers of a pod as the page shows them, and the one whose log is
/// shown: {"container": the chosen one, "containers": [{"name", "init",
/// "restarts", "state"}]}. `pod` is the object on the API server. If `wanted`
/// is "", the container is the pod's default one
/// (kubectl.kubernetes.io/default-container), the one that does the work, or
/// the first. ec::not_found if `pod` is not the pod that the job has, or has no
/// such container.
k8s::result<nlohmann::json> choose_log_container(const nlohmann::json& pod,
                                                 const logged_pod& known,
                                                 const std::string& wanted);

/// Why a log cannot be read, for people: {"why": a sentence, "again": whether
/// another attempt may succeed by itself}. If the operator has no right to it,
/// the sentence says what grants the right.
nlohmann::json pod_log_problem_json(const k8s::failure& why);

} // namespace troupe::actors
