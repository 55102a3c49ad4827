#pragma once

#include "actors/base/protocols.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

namespace troupe::actors {

/// The pause before an actor is started again after its `crashes`-th crash:
/// from 100 ms, doubling, to a minute.
inline std::chrono::milliseconds actor_restart_delay(int crashes) {
  return std::chrono::milliseconds{
      std::min<long long>(60'000, 100ll << std::min(crashes - 1, 10))};
}

/// Takes the place of the report of an actor that does not reply in time.
inline nlohmann::json silent_report(const reporting_actor& who) {
  const auto* actor = dynamic_cast<const caf::local_actor*>(
      caf::actor_cast<caf::abstract_actor*>(who));
  return {{"actor", "silent"},
          {"name", actor ? actor->name() : ""},
          {"id", who.id()}};
}

/// The reply to get_tree: `own`, with the children's replies under "children"
/// in the order in which they come. A child that does not reply in time is
/// shown as silent. The children are asked `question`, which overtakes the
/// messages that wait for them.
template <class Self, class Question = get_tree>
caf::result<report_ptr> collect_report_tree(
    Self* self, nlohmann::json own,
    const std::vector<reporting_actor>& children, Question question = {},
    std::chrono::milliseconds patience = std::chrono::seconds{2}) {
  struct collection {
    caf::typed_response_promise<report_ptr> promise;
    nlohmann::json tree;
    std::size_t missing;
  };
  auto all = std::make_shared<collection>(
      collection{self->template make_response_promise<report_ptr>(),
                 std::move(own), children.size()});
  all->tree["children"] = nlohmann::json::array();
  auto add = [all](nlohmann::json child) {
    all->tree["children"].push_back(std::move(child));
    if (--all->missing == 0)
      all->promise.deliver(
          std::make_shared<const nlohmann::json>(std::move(all->tree)));
  };
  for (const auto& child : children)
    self->template request<caf::message_priority::high>(
            child, caf::duration{patience}, question)
        .then([add](const report_ptr& r) { add(*r); },
              [add, child](caf::error&) { add(silent_report(child)); });
  auto promise = all->promise;
  if (children.empty())
    promise.deliver(
        std::make_shared<const nlohmann::json>(std::move(all->tree)));
  return promise;
}

} // namespace troupe::actors
