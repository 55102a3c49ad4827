#include "k8s/general/seconds.hpp"
#include "k8s/node/pods/pod_run.hpp"
#include "k8s/node/volumes/api_access.hpp"
#include "k8s/node/volumes/volumes.hpp"

#include <algorithm>

namespace troupe::k8s::node {

void pod_run::read_sources_and_write_volumes() {
  auto names = config_sources_of_volumes(pod_);
  if (names.empty()) {
    write_volumes_and_start({});
    return;
  }
  read_current_sources(std::move(names), [this](const config_sources& data) {
    write_volumes_and_start(data);
  });
}

void pod_run::read_current_sources(
    std::vector<config_source_name> names,
    std::function<void(const config_sources&)> handle) {
  auto copy = names;
  options_.read_config_sources(
      std::move(copy),
      [weak = weak_from_this(), this, names = std::move(names),
       handle = std::move(handle),
       changes = volume_source_changes_](const config_sources& data) {
        auto me = weak.lock();
        if (!me || status_.is_terminal())
          return;
        // A watch can be faster than the answer to an earlier read.
        if (changes != volume_source_changes_)
          read_current_sources(names, handle);
        else
          handle(data);
      });
}

/// The first time; containers start when it has worked.
void pod_run::write_volumes_and_start(const config_sources& data) {
  if (terminating_ || status_.is_terminal())
    return;
  const auto& directory = options_.sandbox.volumes_directory;
  auto why = write_volumes_if_sources_read(pod_, directory, data);
  if (!why)
    why = make_sub_path_directories(pod_, directory);
  if (!why) {
    has_volumes_ = true;
    schedule_token_refresh();
    start_next_init_or_main();
    return;
  }
  if (!why->is_retryable) {
    fail_pod_and_terminate(why->reason, why->message);
    return;
  }
  if (std::exchange(last_volume_error_, why->message) != why->message)
    options_.on_warning(why->reason, why->message);
  report_status();
  volume_timer_.expires_after(options_.back_off_base / 10);
  volume_timer_.async_wait(
      unless_destroyed([this] { read_sources_and_write_volumes(); }));
}

void pod_run::update_volumes(const config_source_name& name,
                             const config_source_content& content) {
  auto names = config_sources_of_volumes(pod_);
  if (status_.is_terminal()
      || std::find(names.begin(), names.end(), name) == names.end())
    return;
  ++volume_source_changes_;
  if (!has_volumes_)
    return; // What is read for them is read again.
  auto update = [this](const config_sources& data) {
    if (auto why = write_volumes_if_sources_read(
            pod_, options_.sandbox.volumes_directory, data))
      options_.on_warning(why->reason, why->message);
  };
  update({{name, content}});
  auto beside = sources_of_same_volumes(pod_, name);
  if (std::all_of(beside.begin(), beside.end(),
                  [&](const auto& one) { return one == name; }))
    return;
  read_current_sources(std::move(beside), update);
}

/// Before the first of the tokens in volumes expires, all are renewed.
void pod_run::schedule_token_refresh() {
  std::chrono::seconds first = std::chrono::hours{24};
  std::vector<config_source_name> names;
  for (const auto& name : config_sources_of_volumes(pod_))
    if (name.first == token_source_kind) {
      auto seconds = decode_token_source(name).seconds;
      first = std::min(first, to_bounded_seconds(seconds) * 4 / 5);
      for (auto& one : sources_of_same_volumes(pod_, name))
        names.push_back(std::move(one));
    }
  if (names.empty())
    return;
  token_timer_.expires_after(first);
  token_timer_.async_wait(unless_destroyed([this, names] {
    if (status_.is_terminal())
      return;
    read_current_sources(names, [this](const config_sources& data) {
      if (auto why = write_volumes_if_sources_read(
              pod_, options_.sandbox.volumes_directory, data))
        options_.on_warning(why->reason, why->message);
      schedule_token_refresh();
    });
  }));
}

} // namespace troupe::k8s::node
