#include "actors/cli/ask/job_argument.hpp"

#include "k8s/text.hpp"

namespace troupe::cli {

namespace {

/// What may be part of a path as it is.
bool is_path_safe_name(const std::string& text) {
  return !text.empty()
         && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.")
                == std::string::npos;
}

/// The kind of this spelling, or "".
std::string
match_kind_argument_or_empty(const std::string& text,
                             const std::vector<std::string>& kinds) {
  auto word = k8s::lower_case(text.substr(0, text.find('.')));
  for (const auto& kind : kinds)
    if (auto singular = k8s::lower_case(kind);
        word == singular || word == singular + "s")
      return kind;
  return {};
}

k8s::failure invalid_job_argument(const std::string& text,
                                  const std::string& why) {
  return {k8s::ec::invalid, "\"" + text + "\" " + why};
}

} // namespace

k8s::result<job_argument>
parse_job_argument(const std::string& text, const std::string& ns,
                   const std::string& default_ns,
                   const std::vector<std::string>& kinds) {
  auto slash = text.find('/');
  job_argument job{ns, text.substr(slash == text.npos ? 0 : slash + 1), kinds};
  if (slash != text.npos) {
    auto first = text.substr(0, slash);
    if (auto kind = match_kind_argument_or_empty(first, kinds); !kind.empty())
      job.kinds = {kind};
    else if (!ns.empty() && ns != first)
      return invalid_job_argument(text, "is not in the namespace " + ns
                                            + " of --namespace, and " + first
                                            + " is no kind of jobs; use one of "
                                            + k8s::join(kinds, ", "));
    else
      job.ns = first;
  }
  if (job.ns.empty())
    job.ns = default_ns;
  if (!is_path_safe_name(job.ns) || !is_path_safe_name(job.name))
    return invalid_job_argument(
        text, "is not the name of a job; use NAME, NAMESPACE/NAME "
              "or KIND/NAME");
  return job;
}

} // namespace troupe::cli
