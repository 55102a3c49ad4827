#include "actors/metrics/decision_metrics.hpp"

#include "actors/metrics/families.hpp"

#include <optional>

namespace troupe::actors {

namespace {

/// Where a decision is counted, and the action's name.
struct decision_cell {
  std::size_t action;
  const char* name;
  core::child_kind kind;
};

struct get_decision_cell {
  std::optional<decision_cell> operator()(const core::create_child& d) const {
    return decision_cell{0, "create", d.kind};
  }
  std::optional<decision_cell>
  operator()(const core::create_auxiliary& d) const {
    return decision_cell{0, "create", d.wanted->kind};
  }
  std::optional<decision_cell> operator()(const core::delete_job&) const {
    return std::nullopt;
  }
  std::optional<decision_cell> operator()(const core::read_node&) const {
    return std::nullopt; // It is about no child.
  }
  template <class Decision>
  std::optional<decision_cell> operator()(const Decision& d) const {
    return decision_cell{1 + static_cast<std::size_t>(d.action),
                         core::to_string(d.action), d.kind};
  }
};

} // namespace

decision_metrics::decision_metrics(prometheus::Registry& r)
    : family_(add_counter_family(r, "troupe_decisions_total",
                                 "Decisions about the children of jobs, each "
                                 "carried out by one order")) {}

void decision_metrics::count(const core::decision& d) {
  auto what = std::visit(get_decision_cell{}, d);
  if (!what)
    return;
  auto& slot = counters_[what->action][core::index_of(what->kind)];
  auto* known = slot.load();
  if (!known) {
    // Add() returns the same counter to every thread that comes here.
    known = &family_.Add({{"action", what->name},
                          {"resource", core::resource_of(what->kind).plural}});
    slot = known;
  }
  known->Increment();
}

} // namespace troupe::actors
