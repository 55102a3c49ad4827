#include "tests/exploration/status_encoder.hpp"

#include "frameworks/core/base/retry.hpp"
#include "frameworks/core/model/labels.hpp"
#include "frameworks/core/model/recovery_json.hpp"
#include "tests/exploration/state_reader.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace troupe::exploration {

namespace {

/// Fields of a status that have times; conditions have theirs by type.
enum field : std::size_t {
  of_start,
  of_completion,
  of_gang_wait,
  of_counted_restart,
  of_last_restart,
  of_recovery,
  of_condition,
};

std::size_t field_of(const std::string& condition) {
  using namespace core::condition_type;
  std::size_t n = of_condition;
  for (const auto* type :
       {created, running, restarting, succeeded, suspended, failed}) {
    if (condition == type)
      return n;
    ++n;
  }
  return n;
}

void encode_moment(encoder& e, std::size_t field,
                   const std::optional<k8s::time_point>& t) {
  e.byte(t ? 1 : 0);
  if (t)
    e.moment(field, *t);
}

} // namespace

void encode_due(encoder& e, const std::optional<k8s::time_point>& t) {
  e.byte(t ? 1 : 0);
  if (t)
    e.due(*t);
}

void statuses::encode(const core::shared_status& s) {
  auto same = [&](const core::job_status* other) {
    return other == &*s
           || (*other == *s && same_progress(*other->recovery, *s->recovery));
  };
  auto end = known_.begin() + static_cast<std::ptrdiff_t>(count_);
  auto i = std::find_if(known_.begin(), end, same);
  e_.byte(static_cast<std::uint64_t>(i - known_.begin()));
  if (i != end)
    return;
  if (i == known_.end())
    throw std::runtime_error("a state with too many statuses");
  *i = &*s;
  ++count_;
  encode_new(*s);
}

void statuses::encode_note(
    const std::map<std::string, std::string>& annotations) {
  e_.number(annotations.size());
  for (const auto& [key, value] : annotations) {
    e_.text(key);
    if (key != core::label::recovery || value.empty()) {
      e_.naming_text(value);
      continue;
    }
    auto note = nlohmann::json::parse(value);
    e_.byte(note.contains("lastRestart") ? 1 : 0);
    encode_recovery(core::read_recovery_json(note), known_.size() + ++notes_);
  }
}

void statuses::encode_recovery(const core::recovery_status& r, std::size_t of) {
  e_.number(static_cast<std::uint64_t>(r.attempt));
  e_.number(r.type_attempts.size());
  for (const auto& [type, attempt] : r.type_attempts) {
    e_.text(type);
    e_.number(static_cast<std::uint64_t>(attempt));
  }
  e_.number(static_cast<std::uint64_t>(r.counted));
  e_.number(r.counted_times.size());
  for (auto t : r.counted_times)
    e_.moment(of_counted_restart, t);
  for (std::size_t i = 0; i < s_.slots().size(); ++i) {
    const auto& type = s_.job().find_replica_spec(s_.slots()[i].type)->type;
    if (!r.completed_of(type).contains(s_.slots()[i].index))
      continue;
    encoder::part part{e_, static_cast<int>(i), of_completed};
    e_.number(of);
  }
  if (r.attempt == 0)
    return;
  e_.moment(of_last_restart, r.last.time);
  // An attempt that ends soon after it has begun may delay the next one.
  e_.age(r.last.time, std::max(std::chrono::seconds{core::early_failure_limit},
                               core::replacement_delay_after_early_failures(
                                   r.last.early_ends)));
  e_.text(r.last.reason);
  e_.naming_text(r.last.pod);
  e_.naming_text(r.last.node);
  e_.text(r.last.type);
  e_.number(static_cast<std::uint64_t>(r.last.early_ends));
  encode_moment(e_, of_recovery, r.last.recovered);
}

void statuses::encode_new(const core::job_status& s) {
  e_.number(s.conditions.size());
  for (const auto& c : s.conditions) {
    e_.text(c.type);
    e_.byte(c.status ? 1 : 0);
    e_.text(c.reason);
    e_.naming_text(c.message);
    e_.moment(field_of(c.type), c.updated);
    e_.moment(field_of(c.type), c.last_transition_time);
  }
  e_.number(s.replicas.size());
  for (const auto& [type, r] : s.replicas) {
    e_.text(type);
    e_.number(static_cast<std::uint64_t>(r.active));
    e_.number(static_cast<std::uint64_t>(r.succeeded));
    e_.number(static_cast<std::uint64_t>(r.failed));
    e_.byte(r.selector.empty() ? 0 : 1);
  }
  encode_moment(e_, of_start, s.start_time);
  encode_moment(e_, of_completion, s.completion_time);
  encode_moment(e_, of_gang_wait, s.gang_wait_since);
  e_.number(s.restarts.size());
  for (std::size_t i = 0; i < s.restarts.size(); ++i) {
    const auto& r = s.restarts[i];
    auto [slot, number] = pod_of_uid(r.uid);
    encoder::part part{e_, slot, of_restart};
    e_.number(count_);
    e_.number(i);
    e_.naming_text(r.pod);
    e_.number(static_cast<std::uint64_t>(r.count));
    if (slot >= 0)
      e_.pod(number);
  }
  encode_recovery(*s.recovery, count_);
}

} // namespace troupe::exploration
