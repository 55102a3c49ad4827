#include "actors/jobs/orders/replica_group.hpp"

#include <nlohmann/json.hpp>

#include <tuple>
#include <utility>

namespace troupe::actors {

bool operator<(const group_id& a, const group_id& b) {
  return std::tie(a.auxiliary, a.replica_type)
         < std::tie(b.auxiliary, b.replica_type);
}

std::string to_string(const group_id& g) {
  return g.auxiliary ? "auxiliary objects" : g.replica_type;
}

namespace {

struct get_group {

  group_id operator()(const core::create_auxiliary&) const {
    return {true, ""};
  }
  group_id operator()(const core::update_auxiliary&) const {
    return {true, ""};
  }
  group_id operator()(const core::patch_auxiliary&) const { return {true, ""}; }
  group_id operator()(const core::read_auxiliary&) const { return {true, ""}; }
  group_id operator()(const core::read_node&) const { return {true, ""}; }
  group_id operator()(const core::queue_order&) const { return {true, ""}; }
  group_id operator()(const core::annotate_pod& x) const {
    return {false, x.at.type};
  }
  group_id operator()(const core::delete_job&) const { return {}; }
  group_id operator()(const core::create_child& x) const {
    return {false, x.at.type};
  }
  template <class Decision>
  group_id operator()(const Decision& x) const {
    bool auxiliary = !core::is_replica_child(x.kind);
    return {auxiliary, auxiliary ? "" : x.at.type};
  }
};

} // namespace

group_id group_id_of(const core::decision& d) {
  return std::visit(get_group{}, d);
}

void replica_group_state::init(context_ptr context, group_id which,
                               order_issuer_actor owner) {
  context_ = std::move(context);
  which_ = std::move(which);
  owner_ = std::move(owner);
  window_ = concurrency_window(context_->options->group_window_first,
                               context_->options->group_window_most);
}

void replica_group_state::on_execute_orders(const execute_orders& c) {
  for (const auto& o : c.orders)
    waiting_.emplace_back(o, c.job);
  start_waiting_orders();
}

void replica_group_state::on_cancel_pending_creations() {
  orders_cancelled report;
  for (auto o = waiting_.begin(); o != waiting_.end();)
    if (is_creation(*o->order().decision)) {
      report.orders.push_back(o->order());
      o = waiting_.erase(o);
    } else {
      ++o;
    }
  if (!report.orders.empty())
    self_->send(owner_, std::move(report));
}

void replica_group_state::start_waiting_orders() {
  while (!waiting_.empty()
         && static_cast<int>(under_way_.size()) < window_.size()) {
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    auto first = next.begin(context_->options);
    send_call_or_report_result(std::move(next), std::move(first));
  }
}

void replica_group_state::on_api_response(const api_response& a) {
  auto i = under_way_.find(a.tag);
  if (i == under_way_.end())
    return;
  auto o = std::move(i->second);
  under_way_.erase(i);
  auto next = o.on_answer(*a.outcome, context_->options);
  send_call_or_report_result(std::move(o), std::move(next));
  start_waiting_orders();
}

void replica_group_state::send_call_or_report_result(order_course o,
                                                     order_course::step next) {
  if (auto* call = std::get_if<order_call>(&next)) {
    if (call->name_is_taken)
      register_owner_until_name_is_free(o);
    send_call(std::move(o), std::move(*call));
  } else if (auto* done = std::get_if<order_done>(&next)) {
    window_.count_success_and_grow_if_due();
    self_->send(owner_, std::move(*done));
  } else {
    window_.shrink_to_first_size();
    self_->send(owner_, std::get<order_failed>(std::move(next)));
  }
}

void replica_group_state::register_owner_until_name_is_free(
    const order_course& o) {
  auto t = o.target();
  context_->awaited->add_waiter_until_name_is_free(
      t.kind, o.job().ns, t.name,
      caf::actor_cast<caf::strong_actor_ptr>(owner_));
}

void replica_group_state::send_call(order_course o, order_call call) {
  auto tag = next_tag_++;
  auto key = o.job().uid;
  auto ns = o.job().ns;
  under_way_.emplace(tag, std::move(o));
  self_->send(context_->gateway_for(key),
              api_call{tag, std::move(call.request), key, call_priority::normal,
                       caf::actor_cast<api_caller_actor>(self_), 0,
                       std::move(call.make), std::move(ns)});
}

report_ptr replica_group_state::report() const {
  auto calls = nlohmann::json::array();
  for (const auto& [tag, o] : under_way_)
    calls.push_back(core::describe_decision(*o.order().decision));
  auto out = own_report(*self_, {{"type", to_string(which_)},
                                 {"waiting", waiting_.size()},
                                 {"window", window_.size()},
                                 {"underWay", std::move(calls)}});
  return std::make_shared<const nlohmann::json>(std::move(out));
}

replica_group_actor::behavior_type
replica_group(self_pointer<replica_group_actor, replica_group_state> self,
              context_ptr context, group_id which, order_issuer_actor owner) {
  self->state.init(std::move(context), std::move(which), std::move(owner));
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.report(); },
      [self](const execute_orders& c) { self->state.on_execute_orders(c); },
      [self](cancel_pending_creations) {
        self->state.on_cancel_pending_creations();
      },
      [self](const api_response& a) { self->state.on_api_response(a); },
  };
}

} // namespace troupe::actors
