#include "actors/cli/operator/queueing.hpp"

#include "actors/cli/base/send_and_wait.hpp"
#include "actors/process/operator_options.hpp"
#include "actors/queueing/queueing_probe.hpp"
#include "config/logging.hpp"
#include "k8s/json.hpp"
#include "k8s/text.hpp"

namespace troupe::cli {

namespace {

void log_queueing(const core::queueing_options& found) {
  if (found.on) {
    std::vector<std::string> left{found.left_to_kueue.begin(),
                                  found.left_to_kueue.end()};
    log::info("jobs with a queue label wait for Kueue",
              {{"left_to_its_own_integration", k8s::join(left, ", ")},
               {"not_known_yet", found.undecided.size()}});
  } else if (!found.why_off.empty()) {
    log::warn("jobs with a queue label do not wait for Kueue",
              {{"why", found.why_off}});
  }
}

} // namespace

core::queueing_options find_queueing(k8s::api& client,
                                     const config::settings& s) {
  auto config = actors::make_queueing_probe_config(s, actors::enabled_kinds(s));
  actors::queueing_probe probe{std::move(config)};
  auto next = probe.begin();
  while (auto* call = std::get_if<k8s::request>(&next)) {
    auto answer = send_and_wait(client, std::move(*call));
    next =
        probe.on_answer(answer ? k8s::result<std::string>{k8s::to_text(*answer)}
                               : k8s::result<std::string>{answer.error()});
  }
  if (auto* found = std::get_if<core::queueing_options>(&next)) {
    log_queueing(*found);
    return std::move(*found);
  }
  core::queueing_options unknown;
  unknown.unknown = true;
  unknown.why_off = std::get<k8s::failure>(next).message;
  log_queueing(unknown);
  return unknown;
}

} // namespace troupe::cli
