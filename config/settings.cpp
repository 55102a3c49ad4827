#include "config/settings.hpp"

#include "config/flags.hpp"
#include "config/setting_rows.hpp"
#include "config/settings_file.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <unistd.h>

namespace troupe::config {

using k8s::ec;
using k8s::failure;
using k8s::result;

unsigned settings::effective_actor_threads(unsigned cores) const {
  auto asked = scheduler_threads > 0 ? scheduler_threads : controller_threads;
  return asked > 0 ? static_cast<unsigned>(asked) : std::max(cores / 2, 1u);
}

int settings::directory_actor_count(unsigned threads) const {
  return directories > 0 ? directories : static_cast<int>(threads);
}

int settings::effective_api_burst() const {
  if (kube_api_burst > 0)
    return kube_api_burst;
  return std::max(1, static_cast<int>(2 * kube_api_qps));
}

environment process_environment() {
  environment env;
  for (auto entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    std::string text = *entry;
    if (auto at = text.find('='); at != std::string::npos)
      env.emplace(text.substr(0, at), text.substr(at + 1));
  }
  return env;
}

assignments assignments_from_environment(const environment& env) {
  assignments all;
  for (const auto& r : setting_rows())
    if (auto i = env.find(r.env);
        *r.env != '\0' && i != env.end() && !i->second.empty())
      all.push_back({r.name, i->second, "$" + std::string(r.env)});
  return all;
}

/// `why`: "must be an integer".
failure invalid_value_failure(const assignment& a, const std::string& why) {
  if (a.origin.rfind("--", 0) == 0)
    return invalid_argument_failure(a.origin, a.value, why);
  return {ec::invalid, a.origin + ": invalid value \"" + a.value + "\" for "
                           + a.name + ": " + why};
}

result<settings> apply_assignments(settings start, const assignments& all) {
  std::string last_list; // A later layer replaces a list, it does not add.
  for (const auto& a : all) {
    auto r = find_setting_row(a.name);
    if (r == nullptr)
      return failure{ec::invalid, a.origin + ": there is no setting " + a.name};
    if (auto list =
            std::get_if<std::vector<std::string> settings::*>(&r->where)) {
      if (last_list != a.name)
        (start.*(*list)).clear();
      last_list = a.name;
    }
    if (!k8s::is_utf8(a.value))
      return failure{ec::invalid,
                     a.origin + ": " + a.name + " is not text in UTF-8"};
    if (auto done = set_setting_from_text(*r, start, a.value); !done)
      return invalid_value_failure(a, done.error().message);
    start.origins[a.name] = a.origin;
  }
  return start;
}

result<settings> load_settings(const std::string& file, const environment& env,
                               const assignments& flags,
                               const std::vector<std::string>& kinds) {
  assignments in_file;
  if (!file.empty()) {
    auto read = read_settings_file(file);
    if (!read)
      return read.error();
    in_file = std::move(*read);
  }
  settings s;
  bool rate_named = false;
  for (const auto& layer :
       {in_file, assignments_from_environment(env), flags}) {
    auto next = apply_assignments(s, layer);
    if (!next)
      return next;
    s = *next;
    rate_named |= std::any_of(layer.begin(), layer.end(), [](const auto& a) {
      return a.name == "kube-api-qps";
    });
  }
  if (s.kube_api_burst > 0 && !rate_named) {
    s.kube_api_qps = defaults::kube_api_qps_of_burst;
    s.origins["kube-api-qps"] = "kube-api-burst, which was named alone";
  }
  if (auto fine = validate_settings(s, kinds); !fine)
    return fine.error();
  return s;
}

} // namespace troupe::config
