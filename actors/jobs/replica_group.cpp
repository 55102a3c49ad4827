#include "actors/jobs/replica_group.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/ownership.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "k8s/calls.hpp"
#include "k8s/codec/codec.hpp"

#include <nlohmann/json.hpp>

#include <tuple>

namespace troupe::actors {

namespace {

/// Which object an order is about.
struct target {
  core::child_kind kind = core::child_kind::pod;
  std::string name;
  std::string uid; ///< "" for a creation.
};

struct get_target {
  const core::job& j;

  target operator()(const core::create_child& d) const {
    return {d.kind, core::child_name(j, d), ""};
  }
  target operator()(const core::create_auxiliary& d) const {
    return {d.wanted->kind, d.wanted->name, ""};
  }
  target operator()(const core::delete_job&) const { return {}; }
  template <class Decision>
  target operator()(const Decision& d) const {
    return {d.kind, d.name, d.uid};
  }
};

target child_target_of(const core::decision& d, const core::job& j) {
  return std::visit(get_target{j}, d);
}

k8s::object_ref object_ref_of(const core::decision& d, const core::job& j) {
  auto t = child_target_of(d, j);
  return {core::resource_of(t.kind), j.ns, t.name};
}

bool is_creation(const core::decision& d) {
  return std::holds_alternative<core::create_child>(d)
         || std::holds_alternative<core::create_auxiliary>(d);
}

bool is_deletion(const core::decision& d) {
  return std::holds_alternative<core::delete_child>(d);
}

bool is_auxiliary_update(const core::decision& d) {
  return std::holds_alternative<core::update_auxiliary>(d);
}

/// Whether an update was decided for an older version of the object: it was
/// already made, or another client changed the object.
bool is_update_outdated(const core::decision& d,
                        const k8s::object_meta& existing) {
  const auto* w = std::get_if<core::update_auxiliary>(&d);
  return w && w->version != std::to_string(existing.resource_version);
}

/// The gateway holds calls while the server is away; this is for the first,
/// before that is known, and for answers that cannot be read.
constexpr int most_lookups = 5;

/// So often a creation is sent of which the server says that its name is
/// taken, and a read after that, that it is free: the object has gone between
/// the two. A webhook may say so each time.
constexpr int most_creations = 3;

/// Whether the result of the call is unknown.
bool is_outcome_unknown(const k8s::failure& f) {
  return f.code == k8s::ec::timeout || f.code == k8s::ec::unreachable
         || f.code == k8s::ec::server_error || f.code == k8s::ec::garbage;
}

k8s::result<std::string> make_child_body(const core::create_child& d,
                                         const core::job& j,
                                         const core::cluster_options& cluster) {
  if (!d.body.empty())
    return d.body;
  return d.kind == core::child_kind::pod
             ? core::make_pod_json(j, d.at, cluster, d.early_failures)
             : core::make_service_json(j, d.at);
}

/// What is read of the answer. A service is made from the whole pod.
k8s::object_detail creation_response_detail(const core::create_child& d,
                                            const core::framework& kind) {
  return d.kind == core::child_kind::pod && kind.pods.services_from_pods
             ? core::reconcile_detail_of(kind, d.kind)
             : k8s::object_detail::metadata;
}

/// The creation that is ordered, with a body that, unless the decision contains
/// it, is made when the call is sent. This avoids keeping thousands of bodies
/// in memory.
std::function<k8s::result<k8s::request>()>
child_creation_maker(const core::child_order& order, const core::job_ptr& job,
                     std::shared_ptr<const actor_options> options) {
  return [job, options = std::move(options),
          decision = order.decision]() -> k8s::result<k8s::request> {
    const auto& d = std::get<core::create_child>(*decision);
    auto body = make_child_body(d, *job, options->cluster);
    if (!body)
      return body.error();
    return k8s::with_accept_header(
        creation_response_detail(d, *job->kind),
        k8s::create(core::resource_of(d.kind), job->ns, std::move(*body)));
  };
}

/// The response is the whole object: its body is compared later with the
/// desired one.
std::function<k8s::result<k8s::request>()>
auxiliary_creation_maker(const core::child_order& order,
                         const core::job_ptr& job) {
  return [job, decision = order.decision]() -> k8s::result<k8s::request> {
    const auto& d = std::get<core::create_auxiliary>(*decision);
    auto body = core::make_auxiliary_json(*job, *d.wanted);
    if (!body)
      return body.error();
    return k8s::with_accept_header(
        k8s::object_detail::full, k8s::create(core::resource_of(d.wanted->kind),
                                              job->ns, std::move(*body)));
  };
}

/// Why what has the name of a child to be created cannot be used, or "".
std::string ownership_conflict(const core::decision& creation,
                               const core::job& j,
                               const k8s::object_meta& existing) {
  if (auto* c = std::get_if<core::create_child>(&creation))
    return core::ownership_conflict(*c, j, existing);
  return core::ownership_conflict(std::get<core::create_auxiliary>(creation), j,
                                  existing);
}

} // namespace

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
  group_id operator()(const core::read_auxiliary&) const { return {true, ""}; }
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
    waiting_.push_back({o, c.job, step::act, {}});
  start_waiting_orders();
}

void replica_group_state::on_cancel_pending_creations() {
  orders_cancelled report;
  for (auto u = waiting_.begin(); u != waiting_.end();)
    if (is_creation(*u->order.decision)) {
      report.orders.push_back(std::move(u->order));
      u = waiting_.erase(u);
    } else {
      ++u;
    }
  if (!report.orders.empty())
    self_->send(owner_, std::move(report));
}

void replica_group_state::start_waiting_orders() {
  while (!waiting_.empty()
         && static_cast<int>(under_way_.size()) < window_.size()) {
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    start_order(std::move(next));
  }
}

void replica_group_state::start_order(under_way u) {
  const auto& j = *u.job;
  auto ref = object_ref_of(*u.order.decision, j);
  if (std::holds_alternative<core::create_child>(*u.order.decision)) {
    auto make = child_creation_maker(u.order, u.job, context_->options);
    send_call(std::move(u), {}, std::move(make));
  } else if (std::holds_alternative<core::create_auxiliary>(
                 *u.order.decision)) {
    auto make = auxiliary_creation_maker(u.order, u.job);
    send_call(std::move(u), {}, std::move(make));
  } else if (auto* w =
                 std::get_if<core::update_auxiliary>(&*u.order.decision)) {
    auto request = k8s::update(ref, w->body);
    send_call(std::move(u), std::move(request));
  } else if (auto* n = std::get_if<core::annotate_pod>(&*u.order.decision)) {
    auto request = k8s::merge_patch(
        ref, core::early_failures_annotation_patch(n->early_failures, n->uid));
    send_call(std::move(u), std::move(request));
  } else if (std::holds_alternative<core::read_auxiliary>(*u.order.decision)) {
    u.at = step::read;
    send_call(std::move(u), k8s::list_by_name(ref));
  } else if (auto* r = std::get_if<core::delete_child>(&*u.order.decision)) {
    auto request = k8s::remove(ref, r->uid, j.kind->pods.delete_grace_seconds);
    send_call(std::move(u), std::move(request));
  } else if (std::holds_alternative<core::adopt_child>(*u.order.decision)) {
    // A job that is being deleted must not adopt: the object would be
    // garbage-collected with it.
    u.at = step::check_job;
    auto request = k8s::get({j.kind->names.type, j.ns, j.name});
    send_call(std::move(u), std::move(request));
  } else if (auto* l = std::get_if<core::release_child>(&*u.order.decision)) {
    auto request = k8s::strategic_patch(ref, core::release_patch(j, l->uid));
    send_call(std::move(u), std::move(request));
  } else {
    report_failed(u, {k8s::ec::bug, "not an order for a replica group"});
  }
}

void replica_group_state::send_call(
    under_way u, core::shared_value<k8s::request> r,
    std::function<k8s::result<k8s::request>()> make) {
  auto tag = next_tag_++;
  auto key = u.job->uid;
  auto ns = u.job->ns;
  under_way_.emplace(tag, std::move(u));
  self_->send(context_->gateway_for(key),
              api_call{tag, std::move(r), key, call_priority::normal,
                       caf::actor_cast<api_caller_actor>(self_), 0,
                       std::move(make), std::move(ns)});
}

void replica_group_state::on_api_response(const api_response& a) {
  auto i = under_way_.find(a.tag);
  if (i == under_way_.end())
    return;
  auto u = std::move(i->second);
  under_way_.erase(i);
  switch (u.at) {
  case step::act:
    on_write_response(std::move(u), *a.outcome);
    break;
  case step::read:
    on_child_read(std::move(u), *a.outcome);
    break;
  case step::look:
    on_outcome_read(std::move(u), *a.outcome);
    break;
  case step::check_job:
    on_job_read(std::move(u), *a.outcome);
    break;
  }
  start_waiting_orders();
}

void replica_group_state::on_write_response(under_way u,
                                            const k8s::result<std::string>& r) {
  auto t = child_target_of(*u.order.decision, *u.job);
  bool deletion = is_deletion(*u.order.decision);
  if (r) {
    auto item =
        k8s::decode_object(*r, core::reconcile_detail_of(*u.job->kind, t.kind));
    // An immediate deletion is answered with a Status or the last state.
    bool still_there =
        item && (*item)->meta.uid == t.uid && (*item)->meta.deleted.has_value();
    if (deletion)
      report_done(u, still_there ? *item : nullptr);
    else if (item)
      report_done(u, *item);
    else
      read_to_learn_outcome(std::move(u), item.error());
    return;
  }
  const auto& why = r.error();
  // A deletion has a conflict if another object has the name, and ours is gone;
  // but a webhook, too, may answer so.
  bool conflict_to_look_at =
      why.code == k8s::ec::conflict
      && (deletion || is_auxiliary_update(*u.order.decision));
  if (why.code == k8s::ec::not_found && !is_creation(*u.order.decision)) {
    report_done(u, nullptr, true);
  } else if (why.code == k8s::ec::exists) {
    // Before the read, so that no end of what it shows is missed.
    context_->awaited->add(t.kind, u.job->ns, t.name,
                           caf::actor_cast<caf::strong_actor_ptr>(owner_));
    read_to_learn_outcome(std::move(u), why);
  } else if (is_outcome_unknown(why) || conflict_to_look_at) {
    read_to_learn_outcome(std::move(u), why);
  } else {
    report_failed(u, why);
  }
}

void replica_group_state::read_to_learn_outcome(under_way u, k8s::failure why) {
  if (u.lookups++ == 0)
    u.first_failure = std::move(why);
  u.at = step::look;
  auto request = k8s::list_by_name(object_ref_of(*u.order.decision, *u.job));
  send_call(std::move(u), std::move(request));
}

void replica_group_state::on_child_read(under_way u,
                                        const k8s::result<std::string>& r) {
  const auto& wanted = std::get<core::read_auxiliary>(*u.order.decision);
  auto item = r ? k8s::decode_list_of_one(
                  *r, core::reconcile_detail_of(*u.job->kind, wanted.kind))
                : k8s::result<k8s::object_ptr>{r.error()};
  if (!item)
    report_failed(u, item.error());
  else if (!*item || (*item)->meta.uid != wanted.uid)
    report_done(u, nullptr, true);
  else if ((*item)->meta.resource_version < wanted.version)
    report_failed(u,
                  {k8s::ec::server_error, "the server answered with a version "
                                          "older than its watch told of"});
  else
    report_done(u, *item);
}

void replica_group_state::on_outcome_read(under_way u,
                                          const k8s::result<std::string>& r) {
  auto t = child_target_of(*u.order.decision, *u.job);
  auto found = r ? k8s::decode_list_of_one(
                   *r, core::reconcile_detail_of(*u.job->kind, t.kind))
                 : k8s::result<k8s::object_ptr>{r.error()};
  if (!found) {
    // Who may not look knows what the call itself was answered.
    bool blind = found.error().code == k8s::ec::forbidden;
    if (!blind && u.lookups < most_lookups) {
      read_to_learn_outcome(std::move(u), found.error());
      return;
    }
    report_failed(u, blind ? *u.first_failure : found.error());
    return;
  }
  const auto& item = *found;
  bool creation = is_creation(*u.order.decision);
  bool name_is_free_now =
      creation && !item && u.first_failure->code == k8s::ec::exists;
  if (name_is_free_now && u.creations < most_creations) {
    create_again(std::move(u));
  } else if (!item || (!creation && item->meta.uid != t.uid)) {
    if (creation)
      report_failed(u, *u.first_failure);
    else
      report_done(u, nullptr, true);
  } else if (creation) {
    auto whose = ownership_conflict(*u.order.decision, *u.job, item->meta);
    auto why = *u.first_failure;
    why.message += "; " + whose;
    if (whose.empty())
      report_done(u, item, true);
    else
      report_failed(u, std::move(why), item);
  } else if (is_deletion(*u.order.decision) && item->meta.deleted) {
    report_done(u, item);
  } else if (is_update_outdated(*u.order.decision, item->meta)) {
    report_done(u, item, true);
  } else {
    report_failed(u, *u.first_failure);
  }
}

void replica_group_state::create_again(under_way u) {
  ++u.creations;
  u.at = step::act;
  u.lookups = 0;
  start_order(std::move(u));
}

void replica_group_state::on_job_read(under_way u,
                                      const k8s::result<std::string>& r) {
  if (!r) {
    report_failed(u, r.error());
    return;
  }
  auto job = k8s::decode_object(*r, k8s::object_detail::metadata);
  if (!job || !core::can_adopt((*job)->meta, *u.job)) {
    report_failed(u, {k8s::ec::not_found, "the job is being deleted"});
    return;
  }
  auto t = child_target_of(*u.order.decision, *u.job);
  u.at = step::act;
  auto request = k8s::strategic_patch(object_ref_of(*u.order.decision, *u.job),
                                      core::adoption_patch(*u.job, t.uid));
  send_call(std::move(u), std::move(request));
}

void replica_group_state::report_done(const under_way& u, k8s::object_ptr item,
                                      bool already_satisfied) {
  window_.on_success();
  self_->send(owner_, order_done{u.order, std::move(item), already_satisfied});
}

void replica_group_state::report_failed(const under_way& u, k8s::failure why,
                                        k8s::object_ptr existing) {
  window_.on_failure();
  self_->send(owner_,
              order_failed{u.order, std::move(why), std::move(existing)});
}

report_ptr replica_group_state::report() const {
  auto calls = nlohmann::json::array();
  for (const auto& [tag, u] : under_way_)
    calls.push_back(core::describe_decision(*u.order.decision));
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
