#include "actors/leadership/lease_election.hpp"

#include "frameworks/core/base/retry.hpp"
#include "k8s/general/seconds.hpp"
#include "k8s/json.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

using k8s::json;

/// Writes whose answers may have been lost, one after another.
constexpr std::size_t most_written_times = 16;

/// As leaseDurationSeconds: whole seconds, at least one.
std::chrono::seconds
ceil_seconds_at_least_one(std::chrono::milliseconds duration) {
  return std::max(std::chrono::ceil<std::chrono::seconds>(duration),
                  std::chrono::seconds{1});
}

} // namespace

lease_election::lease_election(lease_config config, lease_writes former)
    : config_(std::move(config))
    , written_(std::move(former.times)) {
  if (!former.identity.empty())
    config_.identity = std::move(former.identity);
}

// -- requests -----------------------------------------------------------------

k8s::request lease_election::begin_acquire_or_renew(time_point now,
                                                    k8s::time_point wall) {
  // A leader knows the version that it has written, so one call is enough.
  return leads_ ? begin_lease_write_and_mark_claim(now, wall) : begin_read();
}

k8s::request lease_election::begin_read() {
  phase_ = phase::reading;
  return k8s::get(config_.lease);
}

k8s::request
lease_election::begin_lease_write_and_mark_claim(time_point now,
                                                 k8s::time_point wall) {
  phase_ = phase::writing;
  sent_at_ = now;
  if (config_.claiming)
    config_.claiming();
  auto object = k8s::parse_json_or_null(object_);
  bool create = object.is_null();
  if (create)
    object = {
        {"apiVersion", config_.lease.type.api_version()},
        {"kind", config_.lease.type.kind},
        {"metadata",
         {{"name", config_.lease.name}, {"namespace", config_.lease.ns}}}};
  for (const auto& [name, value] : config_.annotations) {
    auto& all = k8s::ensure_object(k8s::ensure_object(object, "metadata"),
                                   "annotations");
    if (value.empty())
      all.erase(name);
    else
      all[name] = value;
  }
  auto& spec = k8s::ensure_object(object, "spec");
  auto time = k8s::to_rfc3339_micro(wall);
  written_.push_back(time);
  if (written_.size() > most_written_times)
    written_.pop_front();
  bool was_ours = seen_.holder == config_.identity;
  if (!was_ours)
    spec["acquireTime"] = time;
  spec["holderIdentity"] = config_.identity;
  spec["leaseDurationSeconds"] =
      ceil_seconds_at_least_one(config_.times.duration).count();
  spec["leaseTransitions"] = seen_.transitions + (create || was_ours ? 0 : 1);
  spec["renewTime"] = time;
  return create ? k8s::create(config_.lease.type, config_.lease.ns,
                              k8s::to_text(object))
                : k8s::update(config_.lease, k8s::to_text(object));
}

std::optional<k8s::request>
lease_election::stop_leading_and_begin_release(k8s::time_point wall) {
  if (!leads_)
    return std::nullopt;
  leads_ = false;
  writes_end_ = time_point::min();
  phase_ = phase::writing;
  auto object = k8s::parse_json_or_null(object_);
  auto& spec = k8s::ensure_object(object, "spec");
  spec["holderIdentity"] = "";
  spec["leaseDurationSeconds"] = 1;
  spec["acquireTime"] = spec["renewTime"] = k8s::to_rfc3339_micro(wall);
  return k8s::update(config_.lease, k8s::to_text(object));
}

// -- answers ------------------------------------------------------------------

lease_election::step
lease_election::on_response(const k8s::result<std::string>& answer,
                            time_point now, k8s::time_point wall,
                            double jitter) {
  // Others look twice as often as the leader renews: the Lease may be released.
  auto pause =
      leads_ ? config_.times.retry_period
             : core::subtract_jitter(config_.times.retry_period / 2, jitter);
  return phase_ == phase::reading ? step_after_read(answer, now, wall, pause)
                                  : step_after_write(answer, now, pause);
}

lease_election::step
lease_election::step_after_read(const k8s::result<std::string>& answer,
                                time_point now, k8s::time_point wall,
                                std::chrono::milliseconds pause) {
  if (!answer && answer.error().code != k8s::ec::not_found)
    return {change::none, std::nullopt, pause};
  record_observed_lease(answer ? *answer : std::string{}, now);
  if (answer && has_gone_back()) {
    newest_version_ = seen_.version;
    return become_standby(pause);
  }
  change_identity_if_shared();
  if (leads_ && answer && !is_seen_lease_ours())
    return become_standby(
        pause); // Another process holds it, or has released it.
  if (can_take_lease_noting_ended_holder(now))
    return {change::none, begin_lease_write_and_mark_claim(now, wall), {}};
  return {change::none, std::nullopt, pause};
}

lease_election::step
lease_election::become_standby(std::chrono::milliseconds pause) {
  leads_ = false;
  writes_end_ = time_point::min();
  return {change::lost, std::nullopt, pause};
}

lease_election::step
lease_election::step_after_write(const k8s::result<std::string>& answer,
                                 time_point now,
                                 std::chrono::milliseconds pause) {
  if (!answer) {
    bool changed_meanwhile = answer.error().code == k8s::ec::conflict
                             || answer.error().code == k8s::ec::not_found
                             || answer.error().code == k8s::ec::exists;
    if (changed_meanwhile)
      return {change::none, begin_read(), {}};
    return {change::none, std::nullopt, pause};
  }
  record_observed_lease(*answer, now);
  writes_end_ = sent_at_ + config_.times.renew_deadline;
  auto what = std::exchange(leads_, true) ? change::none : change::acquired;
  return {what, std::nullopt, config_.times.retry_period};
}

bool lease_election::is_seen_lease_ours() const {
  return seen_.holder == config_.identity
         && std::find(written_.begin(), written_.end(), seen_.renewed)
                != written_.end();
}

void lease_election::change_identity_if_shared() {
  if (seen_.holder == config_.identity && !is_seen_lease_ours()
      && config_.change_identity)
    config_.identity = config_.change_identity();
}

bool lease_election::can_take_lease_noting_ended_holder(time_point now) {
  const auto& holder = seen_.holder;
  if (!holder.empty() && config_.has_ended && config_.has_ended(holder))
    ended_holder_ = holder;
  return holder.empty() || holder == ended_holder_ || is_seen_lease_ours()
         || now - seen_at_ >= seen_.duration;
}

void lease_election::record_observed_lease(const std::string& object,
                                           time_point now) {
  auto lease = k8s::parse_json_or_null(object);
  record r;
  r.holder = k8s::text_at(lease, {"spec", "holderIdentity"});
  r.renewed = k8s::text_at(lease, {"spec", "renewTime"});
  r.transitions = k8s::number_at(lease, {"spec", "leaseTransitions"});
  r.version = k8s::parse_resource_version_or_zero(
      k8s::text_at(lease, {"metadata", "resourceVersion"}));
  newest_version_ = std::max(newest_version_, r.version);
  r.duration = k8s::to_bounded_seconds(
      k8s::number_at(lease, {"spec", "leaseDurationSeconds"}));
  if (r != seen_)
    seen_at_ = now;
  seen_ = std::move(r);
  object_ = object;
}

} // namespace troupe::actors
