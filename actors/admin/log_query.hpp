#pragma once

#include "k8s/http/server.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace troupe::actors {

// What a request for a pod's log asks for, and whether it may have it. Pure.

struct log_query {
  std::string container; ///< "": the one that does the work.
  bool previous = false; ///< Of its run before the last one.
  int lines = 500;       ///< Of what is there, the last ones.
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

/// What the page shows of a pod and where its log is: {"container": the chosen
/// one, "containers": [{"name", "init", "restarts", "state"}]}. `pod` is what
/// the API server has. Without a wish the container is the pod's default one
/// (kubectl.kubernetes.io/default-container), the one that does the work, or
/// the first. ec::not_found if it is another pod than the job has, or has no
/// such container.
k8s::result<nlohmann::json> choose_log_container(const nlohmann::json& pod,
                                                 const logged_pod& known,
                                                 const std::string& wanted);

/// Why a log cannot be read, for people: {"why": a sentence, "again": whether
/// another attempt may succeed by itself}. Where the right is missing, it says
/// so, and what grants it.
nlohmann::json log_problem(const k8s::failure& why);

} // namespace troupe::actors
