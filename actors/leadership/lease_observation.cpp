#include "actors/leadership/lease_observation.hpp"

#include "k8s/general/seconds.hpp"
#include "k8s/json.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

/// Whoever may write the Lease could else stop us for ever with one write.
constexpr std::chrono::hours longest_duration{1};

} // namespace

void lease_observation::on_absent() {
  seen_ = {};
  verdict_ = verdict::free;
}

void lease_observation::on_seen(const std::string& spec, time_point now) {
  auto lease = k8s::parse_json_or_null(spec);
  record r{k8s::text_at(lease, {"holderIdentity"}),
           k8s::text_at(lease, {"renewTime"}),
           k8s::number_at(lease, {"leaseTransitions"})};
  if (verdict_ == verdict::unknown || r != seen_)
    seen_at_ = now;
  seen_ = std::move(r);
  duration_ = std::min<std::chrono::milliseconds>(
      k8s::to_bounded_seconds(k8s::number_at(lease, {"leaseDurationSeconds"})),
      longest_duration);
  bool held = !seen_.holder.empty() && now - seen_at_ < duration_;
  verdict_ = held ? verdict::held : verdict::free;
}

std::optional<lease_observation::time_point>
lease_observation::expires_at() const {
  if (verdict_ != verdict::held)
    return std::nullopt;
  return seen_at_ + duration_;
}

} // namespace troupe::actors
