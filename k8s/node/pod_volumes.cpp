#include "k8s/node/pod_run.hpp"
#include "k8s/node/volumes.hpp"

#include <algorithm>

namespace troupe::k8s::node {

void pod_run::make_volumes() {
  auto names = volume_sources(pod_);
  if (names.empty()) {
    fill({});
    return;
  }
  host_.read(std::move(names),
             [weak = weak_from_this(), this](const sources& data) {
               if (auto me = weak.lock())
                 fill(data);
             });
}

/// The first time; containers start when it has worked.
void pod_run::fill(const sources& data) {
  if (terminating_ || view_.over())
    return;
  auto why = fill_volumes(pod_, host_.place.volumes, data);
  if (!why) {
    has_volumes_ = true;
    next_init();
    return;
  }
  if (!why->may_change) {
    fail(why->reason, why->message);
    return;
  }
  if (std::exchange(last_obstacle_, why->message) != why->message)
    host_.on_warning(why->reason, why->message);
  tell();
  volume_timer_.expires_after(host_.back_off_base / 10);
  volume_timer_.async_wait(safely([this] { make_volumes(); }));
}

void pod_run::refresh(const source_name& name, const source_content& content) {
  auto names = volume_sources(pod_);
  if (!has_volumes_ || view_.over()
      || std::find(names.begin(), names.end(), name) == names.end())
    return;
  if (auto why = fill_volumes(pod_, host_.place.volumes, {{name, content}}))
    host_.on_warning(why->reason, why->message);
}

} // namespace troupe::k8s::node
