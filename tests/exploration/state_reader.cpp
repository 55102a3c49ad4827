#include "tests/exploration/state_reader.hpp"

#include "frameworks/core/base/retry.hpp"

namespace troupe::exploration {

namespace {

template <class Entry>
void encode_entry(encoder& e, const Entry& entry) {
  e.byte(static_cast<std::uint64_t>(entry.action));
  e.byte((entry.name_freed ? 1U : 0U) + (entry.retry_not_before ? 2U : 0U));
  if (entry.retry_not_before)
    e.due(*entry.retry_not_before);
  e.number(static_cast<std::uint64_t>(entry.attempts));
  e.number(static_cast<std::uint64_t>(entry.pod_attempt));
  e.byte(static_cast<std::uint64_t>(entry.last_failure->why.code));
}

/// When it was sent counts for a creation that finds the same object again: it
/// is delayed so long from then on.
std::chrono::milliseconds delay_if_found_again(int attempts) {
  return core::retry_delay_after({k8s::ec::exists, ""}, attempts + 1, 0);
}

} // namespace

void state_reader::encode_expectations(encoder& e, const setting& s,
                                       const core::expectations& open) {
  for (const auto& [key, entry] : open.creations_) {
    encoder::part part{e, s.number_of_place(key.kind, key.at), of_creation};
    encode_entry(e, entry);
    e.age(entry.since, delay_if_found_again(entry.attempts));
  }
  for (const auto& [key, entry] : open.operations_) {
    auto [slot, number] = pod_of_uid(key.second);
    encoder::part part{e, slot, of_operation};
    e.pod(number);
    encode_entry(e, entry);
  }
}

void state_reader::encode_rest(
    encoder& e, const setting& s, const core::job_memory& m,
    const std::function<bool(const std::pair<int, int>&)>& counts) {
  for (const auto& [key, uid] : m.found_objects_) {
    encoder::part part{e, s.number_of_place(key.kind, key.at), of_found_object};
    e.pod(pod_of_uid(uid.text()).second);
  }
  e.byte(m.recovering_ ? 1 : 0);
  for (const auto& uid : m.deleted_uids_)
    if (auto pod = pod_of_uid(uid); counts(pod)) {
      encoder::part part{e, pod.first, of_deleted_uid};
      e.pod(pod.second);
    }
}

} // namespace troupe::exploration
