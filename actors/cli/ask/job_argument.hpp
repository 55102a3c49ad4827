#pragma once

#include "k8s/result.hpp"

#include <string>
#include <vector>

namespace troupe::cli {

/// Which job a command is about.
struct job_argument {
  std::string ns;
  std::string name;
  std::vector<std::string> kinds; ///< That it may have, "TFJob"; in order.
};

/// Reads NAME, NAMESPACE/NAME or KIND/NAME. KIND is one of `kinds`, spelled as
/// for kubectl: "TFJob", "tfjob", "tfjobs", "tfjobs.kubeflow.org". `ns` is the
/// value of --namespace, "" if the flag is not given; `default_ns` is used if
/// nothing else names a namespace.
k8s::result<job_argument>
parse_job_argument(const std::string& text, const std::string& ns,
                   const std::string& default_ns,
                   const std::vector<std::string>& kinds);

} // namespace troupe::cli
