#include "actors/admin/job_table.hpp"

#include <tuple>

namespace troupe::actors {

namespace {

/// Readers that ask less often get all rows.
constexpr std::size_t max_removals = 1000;

auto compared_fields(const job_row& r) {
  return std::tie(r.created, r.state, r.summary, r.finished, r.replicas,
                  r.running, r.succeeded, r.failed, r.attempt, r.restart_reason,
                  r.percent);
}

bool is_same_job(const job_row& a, const job_row& b) {
  return a.job == b.job
         || (a.job->uid == b.job->uid && a.job->name == b.job->name);
}

} // namespace

bool operator==(const job_row& a, const job_row& b) {
  return is_same_job(a, b) && compared_fields(a) == compared_fields(b);
}

void job_table::add_or_update_job(job_row row) {
  auto& known = rows_[row.job->uid];
  if (known.row.job && known.row == row)
    return;
  known.row = std::move(row);
  known.revision = ++revision_;
}

void job_table::remove_job(const std::string& uid) {
  if (rows_.erase(uid) == 0)
    return;
  removals_.push_back({++revision_, uid});
  if (removals_.size() <= max_removals)
    return;
  forgotten_revision_ = removals_.front().revision;
  removals_.pop_front();
}

job_changes job_table::changes_since(std::uint64_t revision) const {
  job_changes result;
  result.revision = revision_;
  result.complete =
      revision == 0 || revision < forgotten_revision_ || revision > revision_;
  for (const auto& [uid, e] : rows_)
    if (result.complete || e.revision > revision)
      result.rows.push_back(e.row);
  if (!result.complete)
    for (const auto& r : removals_)
      if (r.revision > revision)
        result.removed.push_back(r.uid);
  return result;
}

} // namespace troupe::actors
