#include "actors/base/awaited_names.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

/// Null if that actor has ended.
caf::strong_actor_ptr strong_or_null(const caf::weak_actor_ptr& who) {
  return caf::actor_cast<caf::strong_actor_ptr>(who);
}

void remove_ended_actors(std::vector<caf::weak_actor_ptr>& all) {
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const auto& w) { return !strong_or_null(w); }),
            all.end());
}

} // namespace

void awaited_names::add_waiter_until_name_is_free(
    core::child_kind kind, const std::string& ns, const std::string& name,
    const caf::strong_actor_ptr& who) {
  std::lock_guard<std::mutex> lock{mutex_};
  auto& all = waiting_[{kind, ns, name}];
  remove_ended_actors(all); // A job may come and go many times under one name.
  bool known = std::any_of(all.begin(), all.end(),
                           [&](const auto& w) { return w.get() == who.get(); });
  if (!known)
    all.push_back(caf::actor_cast<caf::weak_actor_ptr>(who));
  if (waiting_.size() >= drop_at_)
    drop_names_of_ended_actors();
  count_ = waiting_.size();
}

void awaited_names::drop_names_of_ended_actors() {
  for (auto i = waiting_.begin(); i != waiting_.end();) {
    auto& all = i->second;
    remove_ended_actors(all);
    i = all.empty() ? waiting_.erase(i) : std::next(i);
  }
  drop_at_ = std::max<std::size_t>(64, 2 * waiting_.size());
}

std::vector<caf::strong_actor_ptr>
awaited_names::take(core::child_kind kind, const std::string& ns,
                    const std::string& name) {
  std::vector<caf::strong_actor_ptr> result;
  if (count_ == 0)
    return result;
  std::lock_guard<std::mutex> lock{mutex_};
  auto i = waiting_.find({kind, ns, name});
  if (i == waiting_.end())
    return result;
  for (const auto& w : i->second)
    if (auto who = strong_or_null(w))
      result.push_back(std::move(who));
  waiting_.erase(i);
  count_ = waiting_.size();
  return result;
}

std::size_t awaited_names::size() const {
  return count_;
}

} // namespace troupe::actors
