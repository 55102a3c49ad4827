#include "k8s/node/usage/usage_meter.hpp"

#include <algorithm>

namespace troupe::k8s::node {

namespace {

/// CPU time is counted in hundredths of a second: less says nothing.
constexpr std::chrono::milliseconds shortest_window{500};

} // namespace

resource_usage usage_meter::add_sample_and_compute_usage(
    const std::string& key, const resource_usage& used, time began, time now) {
  auto [i, is_new] = samples_.try_emplace(key, sample{0, 0, began});
  auto& last = i->second;
  std::chrono::duration<double> window = now - last.taken;
  if (window >= shortest_window || is_new) {
    // A container that was started again begins at 0.
    auto seconds =
        used.cpu >= last.cpu_seconds ? used.cpu - last.cpu_seconds : used.cpu;
    last.cores =
        seconds
        / std::max(window, std::chrono::duration<double>{shortest_window})
              .count();
    last.cpu_seconds = used.cpu;
    last.taken = now;
  }
  return {last.cores, used.memory};
}

void usage_meter::drop_samples_before(time then) {
  for (auto i = samples_.begin(); i != samples_.end();)
    i = i->second.taken < then ? samples_.erase(i) : std::next(i);
}

} // namespace troupe::k8s::node
