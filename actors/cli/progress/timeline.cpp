#include "actors/cli/progress/timeline.hpp"

#include "actors/cli/progress/progress.hpp"

#include <algorithm>
#include <tuple>

namespace troupe::cli {

namespace {

void begin_state_span(timeline_row& row, std::string state, std::string note,
                      k8s::time_point now) {
  if (!row.spans.empty())
    row.spans.back().end = now;
  row.spans.push_back({std::move(state), std::move(note), now, std::nullopt});
}

} // namespace

timeline::timeline(std::string kind, std::string name)
    : kind_(std::move(kind))
    , name_(std::move(name)) {
  job_.name = "job";
}

void timeline::record_job(const job_view& job, k8s::time_point now) {
  if (!job.state.empty()
      && (job_.spans.empty() || job_.spans.back().state != job.state))
    begin_state_span(job_, job.state, job.message, now);
}

void timeline::record_pod(const replica_view& pod, k8s::time_point now) {
  auto& p = pods_[pod.uid];
  p.type = pod.type;
  p.index = pod.index;
  p.row.name = pod.slot;
  auto note = describe_replica(pod);
  bool is_same = !p.row.spans.empty() && p.row.spans.back().state == pod.phase
                 && p.restarts == pod.restarts;
  p.restarts = pod.restarts;
  if (is_same)
    p.row.spans.back().note = std::move(note);
  else
    begin_state_span(p.row, pod.phase, std::move(note), now);
}

void timeline::record_pod_deleted(const std::string& uid, k8s::time_point now) {
  auto p = pods_.find(uid);
  if (p != pods_.end() && !p->second.row.spans.empty())
    p->second.row.spans.back().end = now;
}

void timeline::record_warning(std::string text, k8s::time_point now) {
  warnings_.push_back({now, std::move(text)});
}

std::vector<timeline_row> timeline::pod_rows() const {
  std::vector<const pod_row*> sorted;
  for (const auto& [uid, p] : pods_)
    sorted.push_back(&p);
  std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) {
    return std::tie(a->type, a->index, a->row.spans.front().begin)
           < std::tie(b->type, b->index, b->row.spans.front().begin);
  });
  std::vector<timeline_row> out;
  for (const auto* p : sorted)
    out.push_back(p->row);
  return out;
}

} // namespace troupe::cli
