#include "actors/webhook/review_clients.hpp"

#include <algorithm>

namespace troupe::actors {

void review_clients::latest::add(const std::string& client) {
  if (!known_.insert(client).second)
    return;
  order_.push_back(client);
  if (order_.size() <= most_)
    return;
  known_.erase(order_.front());
  order_.pop_front();
}

void review_clients::latest::remove(const std::string& client) {
  if (known_.erase(client) > 0)
    order_.erase(std::find(order_.begin(), order_.end(), client));
}

void review_clients::note_review(const std::string& client, bool well_formed) {
  if (well_formed)
    reviewing_.add(client);
  else
    reviewing_.remove(client);
}

} // namespace troupe::actors
