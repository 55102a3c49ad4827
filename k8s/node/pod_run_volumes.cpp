#include "k8s/node/pod_run.hpp"
#include "k8s/node/volumes.hpp"

#include <algorithm>

namespace troupe::k8s::node {

void pod_run::read_sources_and_fill_volumes() {
  auto names = volume_sources(pod_);
  if (names.empty()) {
    fill_volumes_and_start({});
    return;
  }
  options_.read_config_sources(
      std::move(names),
      [weak = weak_from_this(), this](const config_sources& data) {
        if (auto me = weak.lock())
          fill_volumes_and_start(data);
      });
}

/// The first time; containers start when it has worked.
void pod_run::fill_volumes_and_start(const config_sources& data) {
  if (terminating_ || status_.is_terminal())
    return;
  const auto& directory = options_.sandbox.volumes_directory;
  auto why = fill_volumes(pod_, directory, data);
  if (!why)
    why = make_sub_path_directories(pod_, directory);
  if (!why) {
    has_volumes_ = true;
    start_next_init_or_main();
    return;
  }
  if (!why->is_retryable) {
    fail(why->reason, why->message);
    return;
  }
  if (std::exchange(last_volume_error_, why->message) != why->message)
    options_.on_warning(why->reason, why->message);
  report_status();
  volume_timer_.expires_after(options_.back_off_base / 10);
  volume_timer_.async_wait(
      unless_destroyed([this] { read_sources_and_fill_volumes(); }));
}

void pod_run::update_volumes(const config_source_name& name,
                             const config_source_content& content) {
  auto names = volume_sources(pod_);
  if (!has_volumes_ || status_.is_terminal()
      || std::find(names.begin(), names.end(), name) == names.end())
    return;
  if (auto why = fill_volumes(pod_, options_.sandbox.volumes_directory,
                              {{name, content}}))
    options_.on_warning(why->reason, why->message);
}

} // namespace troupe::k8s::node
