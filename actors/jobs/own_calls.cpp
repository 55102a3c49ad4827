#include "actors/jobs/own_calls.hpp"

#include <iterator>

namespace troupe::actors {

std::uint64_t own_calls::record_sent(const call& c) {
  in_flight_.emplace(next_tag_, c);
  return next_tag_++;
}

std::optional<own_calls::call> own_calls::take_answered(std::uint64_t tag) {
  auto i = in_flight_.find(tag);
  if (i == in_flight_.end())
    return std::nullopt;
  auto result = i->second;
  in_flight_.erase(i);
  return result;
}

void own_calls::forget_reads_of_job_and_children() {
  for (auto i = in_flight_.begin(); i != in_flight_.end();) {
    auto what = i->second.what;
    bool read = what == purpose::read_job || what == purpose::list_children;
    i = read ? in_flight_.erase(i) : std::next(i);
  }
}

} // namespace troupe::actors
