#include "frameworks/core/model/kept_parts.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/labels.hpp"
#include "frameworks/core/model/recovery_json.hpp"
#include "frameworks/core/model/status_format.hpp"
#include "frameworks/core/model/status_parts.hpp"
#include "k8s/json_outline.hpp"

#include <algorithm>
#include <utility>

namespace troupe::core {

namespace {

bool has_completed(const recovery_status& r) {
  return std::any_of(r.completed.begin(), r.completed.end(),
                     [](const auto& one) { return !one.second.is_empty(); });
}

bool has_attempts(const recovery_status& r) {
  return r.attempt > 0 || r.counted > 0 || !r.counted_times.empty();
}

recovery_status completed_only(const recovery_status& r) {
  recovery_status result;
  result.completed = r.completed;
  return result;
}

recovery_status attempts_only(recovery_status r) {
  r.completed.clear();
  return r;
}

/// The annotation's value; null if there is none, or if it is too large.
json read_annotation(const std::map<std::string, std::string>& all,
                     const char* name) {
  auto i = all.find(name);
  if (i == all.end()
      || k8s::estimate_json_value_count(i->second) > max_status_values)
    return nullptr;
  return parse_json_or_null(i->second);
}

/// nullptr, which removes the annotation, if there is nothing to say.
json recovery_annotation(const recovery_status& r, const kept_parts& which) {
  auto out = json::object();
  if (which.attempts)
    add_attempts_json(out, r);
  if (which.completed && has_completed(r)) {
    // Else they would be taken for those of a later attempt.
    if (r.attempt > 0)
      out["restartAttempt"] = r.attempt;
    add_completed_json(out, r);
  }
  return out.empty() ? json{} : json(to_text(out));
}

/// Without that, its number only says what the rest is about.
bool has_noted_attempts(const json& note) {
  return value_at(note, {"lastRestart"}).is_object();
}

/// Attempts only grow, and an annotation is written before the status.
recovery_status merged_recovery(const recovery_status& in_status,
                                const json& note) {
  auto noted = read_recovery_json(note);
  bool has_attempts = has_noted_attempts(note);
  if (noted.attempt < in_status.attempt
      || (!has_attempts && noted.attempt != in_status.attempt))
    return in_status;
  auto result = has_attempts ? noted : in_status;
  if (!result.last.recovered)
    result.last.recovered = in_status.last.recovered;
  bool own = noted.attempt == in_status.attempt && has_completed(in_status);
  result.completed = own ? in_status.completed : noted.completed;
  return result;
}

} // namespace

kept_parts operator|(const kept_parts& a, const kept_parts& b) {
  return {a.restarts || b.restarts, a.attempts || b.attempts,
          a.completed || b.completed, a.progress || b.progress};
}

kept_parts operator&(const kept_parts& a, const kept_parts& b) {
  return {a.restarts && b.restarts, a.attempts && b.attempts,
          a.completed && b.completed, a.progress && b.progress};
}

kept_parts operator~(const kept_parts& a) {
  return {!a.restarts, !a.attempts, !a.completed, !a.progress};
}

kept_parts parts_of_status(const job_status& s) {
  return {!s.restarts.empty(), has_attempts(*s.recovery),
          !s.is_finished() && has_completed(*s.recovery),
          s.progress != progress_status{}};
}

kept_parts parts_of_annotations(const std::map<std::string, std::string>& all) {
  const auto note = read_annotation(all, label::recovery);
  return {!array_at(read_annotation(all, label::restarts), {}).empty(),
          has_noted_attempts(note), has_completed(read_recovery_json(note)),
          false};
}

kept_parts different_parts(const job_status& saved, const job_status& wanted) {
  const auto& a = *saved.recovery;
  const auto& b = *wanted.recovery;
  auto same_recovery_time = [&] {
    return same_progress(attempts_only(a), attempts_only(b));
  };
  return {!same_restarts(saved, wanted),
          !same_attempts(a, b) || !same_recovery_time(),
          !wanted.is_finished()
              && !same_progress(completed_only(a), completed_only(b)),
          saved.progress != wanted.progress};
}

kept_parts dropped_parts(const job_status& written, const job_status& stored) {
  auto result = parts_of_status(written) & different_parts(stored, written);
  result.restarts = !written.restarts.empty() && stored.restarts.empty();
  return result;
}

job_status with_parts_of(job_status s, const kept_parts& which,
                         const job_status& other) {
  if (which.restarts)
    s.restarts = other.restarts;
  if (which.progress)
    s.progress = other.progress;
  if (!which.of_recovery())
    return s;
  auto recovery = which.attempts ? *other.recovery : *s.recovery;
  recovery.completed = (which.completed ? other : s).recovery->completed;
  s.recovery = std::move(recovery);
  return s;
}

std::string kept_parts_patch(const job_status& s, const kept_parts& which,
                             const std::string& uid, std::uint64_t version) {
  json meta{{"uid", uid}};
  auto& annotations = meta["annotations"] = json::object();
  if (which.restarts)
    annotations[label::restarts] = to_text(restarts_json(s.restarts));
  if (which.of_recovery()) {
    annotations[label::recovery] = recovery_annotation(*s.recovery, which);
    meta["resourceVersion"] = std::to_string(version);
  }
  return to_text({{"metadata", std::move(meta)}});
}

void merge_kept_parts(job_status& s,
                      const std::map<std::string, std::string>& annotations) {
  if (s.restarts.empty())
    s.restarts = read_restarts_up_to_limit(
        array_at(read_annotation(annotations, label::restarts), {}));
  const auto note = read_annotation(annotations, label::recovery);
  if (!note.is_object())
    return;
  auto merged = merged_recovery(*s.recovery, note);
  if (s.is_finished())
    merged.completed.clear();
  if (merged != *s.recovery)
    s.recovery = std::move(merged);
}

std::vector<const char*> annotations_of_parts(const kept_parts& which) {
  std::vector<const char*> names;
  if (which.restarts)
    names.push_back(label::restarts);
  if (which.of_recovery())
    names.push_back(label::recovery);
  return names;
}

} // namespace troupe::core
