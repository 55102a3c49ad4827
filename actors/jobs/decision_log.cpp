#include "actors/jobs/decision_log.hpp"

namespace troupe::actors {

void decision_log::add(k8s::time_point at, std::string_view text) {
  if (entries_.size() == most_notes) {
    texts_.erase(0, entries_.front().size);
    entries_.erase(entries_.begin());
  }
  entries_.push_back({at, text.size()});
  texts_.append(text);
  // Few are added, and there are many logs.
  entries_.shrink_to_fit();
  texts_.shrink_to_fit();
}

std::vector<decision_log::note> decision_log::notes() const {
  std::vector<note> result;
  result.reserve(entries_.size());
  std::string_view rest = texts_;
  for (const auto& e : entries_) {
    result.push_back({e.at, rest.substr(0, e.size)});
    rest.remove_prefix(e.size);
  }
  return result;
}

} // namespace troupe::actors
