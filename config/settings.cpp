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
using k8s::nothing;
using k8s::result;

unsigned settings::effective_actor_threads(unsigned cores) const {
  return controller_threads > 0 ? static_cast<unsigned>(controller_threads)
                                : std::max(cores / 2, 1u);
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

namespace {

/// The rate when only the burst was named: upstream's default.
constexpr double qps_of_burst = 20;

/// `why`: "must be an integer".
failure invalid_value_failure(const assignment& a, const std::string& why) {
  if (a.origin.rfind("--", 0) == 0)
    return invalid_argument_failure(a.origin, a.value, why);
  return {ec::invalid, a.origin + ": invalid value \"" + a.value + "\" for "
                           + a.name + ": " + why};
}

result<nothing> apply_assignment(settings& s, const assignment& a,
                                 const setting_row& r) {
  if (!k8s::is_utf8(a.value))
    return failure{ec::invalid,
                   a.origin + ": " + a.name + " is not text in UTF-8"};
  if (auto done = set_setting_from_text(r, s, a.value); !done)
    return invalid_value_failure(a, done.error().message);
  s.origins[r.name] = a.origin;
  return nothing{};
}

/// Of former names. 0 says nothing.
result<nothing> apply_nonzero_former_assignments(settings& s,
                                                 const assignments& all) {
  for (const auto& a : all) {
    const auto& r = *find_setting_row(current_name_of_former(a.name));
    auto changed = s;
    if (auto done = apply_assignment(changed, a, r); !done)
      return done;
    if (format_setting(r, changed) != "0")
      s = std::move(changed);
  }
  return nothing{};
}

} // namespace

result<settings> apply_assignments(settings start, const assignments& all) {
  std::string last_list; // A later layer replaces a list, it does not add.
  assignments former;
  for (const auto& a : all) {
    if (current_name_of_former(a.name)) {
      former.push_back(a);
      continue;
    }
    auto r = find_setting_row(a.name);
    if (r == nullptr)
      return failure{ec::invalid, a.origin + ": there is no setting " + a.name};
    if (auto list =
            std::get_if<std::vector<std::string> settings::*>(&r->where)) {
      if (last_list != a.name)
        (start.*(*list)).clear();
      last_list = a.name;
    }
    if (auto done = apply_assignment(start, a, *r); !done)
      return done.error();
  }
  if (auto done = apply_nonzero_former_assignments(start, former); !done)
    return done.error();
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
    s.kube_api_qps = qps_of_burst;
    s.origins["kube-api-qps"] = "kube-api-burst, which was named alone";
  }
  if (auto fine = validate_settings(s, kinds); !fine)
    return fine.error();
  return s;
}

} // namespace troupe::config
