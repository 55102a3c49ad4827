// The nodes of a world, and the controllers that notice when one is silent.
#include "tests/exploration/invariants.hpp"
#include "tests/exploration/world.hpp"

namespace troupe::exploration {

bool world::has_silent_node(const pod& p) const {
  return !p.spare && is_silent(static_cast<std::size_t>(p.slot()));
}

bool world::may_wait_until(k8s::time_point t) const {
  if (s->most.lost_nodes == 0 || t - now < std::chrono::seconds{10})
    return true;
  for (const auto& p : pods)
    if (p.deleting && !has_silent_node(p))
      return false;
  return lag() == 0;
}

void world::add_node_moves(std::vector<move>& to) const {
  for (std::uint8_t i = 0; i < s->slots().size(); ++i) {
    if (is_silent(i))
      to.push_back({act::node_reports_again, i});
    else if (left.lost_nodes > 0)
      to.push_back({act::node_falls_silent, i});
  }
  for (std::uint8_t i = 0; i < pods.size(); ++i)
    if (has_silent_node(pods[i]) && !pods[i].deleting && !pods[i].has_ended())
      to.push_back({act::pod_is_evicted, i});
}

void world::make_node_move(move m) {
  switch (m.what) {
  case act::node_falls_silent:
    return lose_node(m.which);
  case act::node_reports_again:
    return take_node_back(m.which);
  case act::pod_is_evicted:
    return evict(m.which);
  default:
    violation = "a move that nobody makes";
  }
}

/// Its controller notices at once: before that, kubelets are only slow.
void world::lose_node(std::size_t slot) {
  --left.lost_nodes;
  silent |= 1U << slot;
  past.silent |= 1U << slot;
  for (auto& p : pods) {
    if (!has_silent_node(p) || p.phase != k8s::pod_phase::running)
      continue;
    p.silent_since = now;
    note_removal(*this, p);
    p.version = ++version;
    tell_pod(p, false);
  }
}

void world::take_node_back(std::size_t slot) {
  for (auto& p : pods) {
    if (p.silent_since == k8s::time_point{}
        || static_cast<std::size_t>(p.slot()) != slot)
      continue;
    p.silent_since = {};
    p.version = ++version;
    tell_pod(p, false);
  }
  silent &= ~(1U << slot);
}

void world::evict(std::size_t index) {
  pods[index].evicted = true;
  note_removal(*this, pods[index]);
  begin_deletion(index);
}

} // namespace troupe::exploration
