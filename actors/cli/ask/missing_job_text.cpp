#include "actors/admin/text/terminal_text.hpp"
#include "actors/cli/ask/admin_text.hpp"
#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::cli {

using actors::strip_control_characters;
using k8s::array_at;
using k8s::text_at;
using k8s::value_at;
using nlohmann::json;

namespace {

using strings = std::vector<std::string>;

/// The parts of a setting that is a list, as the operator shows it.
strings split_setting_value(const json& settings, const char* name) {
  for (const auto& s : array_at(settings, {}))
    if (text_at(s, {"name"}) == name)
      return k8s::split_without_empty_parts(text_at(s, {"value"}), ',');
  return {};
}

bool contains_ignoring_case(const strings& list, const std::string& one) {
  return std::any_of(list.begin(), list.end(), [&](const std::string& other) {
    return k8s::equal_ignoring_case(one, other);
  });
}

void add_setting_limit_lines(strings& out, const job_argument& job,
                             const json& settings) {
  auto namespaces = split_setting_value(settings, "namespace");
  if (!namespaces.empty() && !contains_ignoring_case(namespaces, job.ns))
    out.push_back("Its setting namespace limits it to "
                  + k8s::join(namespaces, ", ") + ".");
  auto kinds = split_setting_value(settings, "enable-scheme");
  bool any =
      std::any_of(job.kinds.begin(), job.kinds.end(), [&](const auto& k) {
        return contains_ignoring_case(kinds, k);
      });
  if (!kinds.empty() && (!any || job.kinds.size() > 1))
    out.push_back("Its setting enable-scheme limits it to "
                  + k8s::join(kinds, ", ") + ".");
}

/// Watches of the job's kinds that do not work.
void add_failing_watch_lines(strings& out, const job_argument& job,
                             const json& tree) {
  for (const auto& actor : array_at(tree, {"children"})) {
    auto resource = text_at(actor, {"resource"});
    bool of_job =
        std::any_of(job.kinds.begin(), job.kinds.end(), [&](const auto& k) {
          return k8s::lower_case(k) + "s" == resource;
        });
    auto why = text_at(actor, {"lastFailure"});
    auto version = text_at(actor, {"apiVersion"});
    if (of_job && text_at(actor, {"state"}) != "watching" && !why.empty())
      out.push_back("It cannot watch " + resource
                    + (version.empty() ? "" : " of " + version) + ": "
                    + strip_control_characters(why));
  }
}

} // namespace

strings missing_job_lines(const job_argument& job, const json& tree,
                          const json& settings) {
  strings out{"no job " + job.ns + "/" + job.name + " of kind "
              + k8s::join(job.kinds, ", ") + " is known to the operator"};
  if (value_at(tree, {"leading"}) == false)
    out.push_back("It is a standby, which knows no jobs: ask the replica that "
                  "leads.");
  else if (value_at(tree, {"ready"}) == false)
    out.push_back("It is not ready: it has not listed all objects yet.");
  add_setting_limit_lines(out, job, settings);
  add_failing_watch_lines(out, job, tree);
  return out;
}

} // namespace troupe::cli
