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

void lease_observation::on_response(const k8s::result<std::string>& answer,
                                    time_point now) {
  if (!answer) {
    auto code = answer.error().code;
    if (code == k8s::ec::not_found || code == k8s::ec::forbidden) {
      seen_ = {};
      verdict_ = verdict::free;
    }
    return;
  }
  auto lease = k8s::parse_json_or_null(*answer);
  record r{k8s::text_at(lease, {"spec", "holderIdentity"}),
           k8s::text_at(lease, {"spec", "renewTime"}),
           k8s::number_at(lease, {"spec", "leaseTransitions"})};
  if (verdict_ == verdict::unknown || r != seen_)
    seen_at_ = now;
  seen_ = std::move(r);
  auto duration = std::min<std::chrono::milliseconds>(
      k8s::to_bounded_seconds(
          k8s::number_at(lease, {"spec", "leaseDurationSeconds"})),
      longest_duration);
  bool held = !seen_.holder.empty() && now - seen_at_ < duration;
  verdict_ = held ? verdict::held : verdict::free;
}

} // namespace troupe::actors
