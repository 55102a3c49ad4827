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

void state_reader::encode_expectations(encoder& e,
                                       const core::expectations& open) {
  e.number(open.creations_.size());
  for (const auto& [key, entry] : open.creations_) {
    e.text(core::to_string(key.at));
    encode_entry(e, entry);
    e.age(entry.since, delay_if_found_again(entry.attempts));
  }
  e.number(open.operations_.size());
  for (const auto& [key, entry] : open.operations_) {
    encode_uid(e, key.second);
    encode_entry(e, entry);
  }
}

void state_reader::encode_rest(encoder& e, const core::job_memory& m) {
  e.number(m.found_objects_.size());
  for (const auto& [key, uid] : m.found_objects_) {
    e.text(core::to_string(key.at));
    encode_uid(e, uid.text());
  }
  e.byte(m.recovering_ ? 1 : 0);
  e.number(m.deleted_uids_.size());
  for (const auto& uid : m.deleted_uids_)
    encode_uid(e, uid);
}

} // namespace troupe::exploration
