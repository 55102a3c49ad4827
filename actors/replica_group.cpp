#include "actors/replica_group.hpp"

#include "frameworks/core/names.hpp"
#include "frameworks/core/ownership.hpp"
#include "frameworks/core/pod_template.hpp"
#include "k8s/calls.hpp"
#include "k8s/codec.hpp"

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
    return {d.wanted.kind, d.wanted.name, ""};
  }
  target operator()(const core::delete_job&) const { return {}; }
  template <class Decision>
  target operator()(const Decision& d) const {
    return {d.kind, d.name, d.uid};
  }
};

target target_of(const core::decision& d, const core::job& j) {
  return std::visit(get_target{j}, d);
}

k8s::object_ref ref_of(const core::decision& d, const core::job& j) {
  auto t = target_of(d, j);
  return {core::resource_of(t.kind), j.ns, t.name};
}

bool is_creation(const core::decision& d) {
  return std::holds_alternative<core::create_child>(d)
         || std::holds_alternative<core::create_auxiliary>(d);
}

bool is_removal(const core::decision& d) {
  return std::holds_alternative<core::delete_child>(d);
}

bool is_auxiliary_update(const core::decision& d) {
  return std::holds_alternative<core::update_auxiliary>(d);
}

/// Whether an update was decided for an older version of the object: it was
/// already made, or another client changed the object.
bool update_is_outdated(const core::decision& d,
                        const k8s::object_meta& existing) {
  const auto* w = std::get_if<core::update_auxiliary>(&d);
  return w && w->version != std::to_string(existing.resource_version);
}

/// The gateway holds calls while the server is away; this is for the first,
/// before that is known, and for answers that cannot be read.
constexpr int most_lookups = 5;

/// Whether the result of the call is unknown.
bool outcome_is_unknown(const k8s::failure& f) {
  return f.code == k8s::ec::timeout || f.code == k8s::ec::unreachable
         || f.code == k8s::ec::server_error || f.code == k8s::ec::garbage;
}

k8s::result<std::string> body_of(const core::create_child& d,
                                 const core::job& j,
                                 const core::cluster_options& cluster) {
  if (!d.body.empty())
    return d.body;
  return d.kind == core::child_kind::pod
             ? core::make_pod(j, d.at, cluster, d.early_failures)
             : core::make_service(j, d.at);
}

/// What is read of the answer. A service is made from the whole pod.
k8s::object_detail created_detail(const core::create_child& d,
                                  const core::framework& kind) {
  return d.kind == core::child_kind::pod && kind.services_from_pods
             ? core::detail_of(kind, d.kind)
             : k8s::object_detail::metadata;
}

/// The creation of `d`, with a body that, unless the decision contains it, is
/// made when the call is sent. This avoids keeping thousands of bodies in
/// memory.
std::function<k8s::result<k8s::request>()>
creation_of(const core::create_child& d, const core::job_ptr& job,
            std::shared_ptr<const tuning> sizes) {
  return [=]() -> k8s::result<k8s::request> {
    auto body = body_of(d, *job, sizes->cluster);
    if (!body)
      return body.error();
    return k8s::with_detail(
        created_detail(d, *job->kind),
        k8s::create(core::resource_of(d.kind), job->ns, std::move(*body)));
  };
}

/// The response is the whole object: its body is compared later with the
/// desired one.
std::function<k8s::result<k8s::request>()>
creation_of(const core::create_auxiliary& d, const core::job_ptr& job) {
  return [=]() -> k8s::result<k8s::request> {
    auto body = core::make_auxiliary(*job, d.wanted);
    if (!body)
      return body.error();
    return k8s::with_detail(k8s::object_detail::full,
                            k8s::create(core::resource_of(d.wanted.kind),
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

group_id group_of(const core::decision& d) {
  return std::visit(get_group{}, d);
}

void replica_group_state::init(context_ptr context, group_id which,
                               order_owner_actor owner) {
  context_ = std::move(context);
  which_ = std::move(which);
  owner_ = std::move(owner);
  window_ = core::concurrency_window(context_->sizes->group_window_first,
                                     context_->sizes->group_window_most);
}

void replica_group_state::on_execute_orders(const execute_orders& c) {
  for (const auto& o : c.orders)
    waiting_.push_back({o, c.job, step::act, {}});
  send_ready();
}

void replica_group_state::on_cancel_pending_creations() {
  orders_cancelled report;
  std::deque<under_way> kept;
  for (auto& u : waiting_)
    if (is_creation(u.order.decision))
      report.orders.push_back(std::move(u.order));
    else
      kept.push_back(std::move(u));
  waiting_ = std::move(kept);
  if (!report.orders.empty())
    self_->send(owner_, std::move(report));
}

void replica_group_state::send_ready() {
  while (!waiting_.empty()
         && static_cast<int>(under_way_.size()) < window_.size()) {
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    launch(std::move(next));
  }
}

void replica_group_state::launch(under_way u) {
  const auto& j = *u.job;
  auto ref = ref_of(u.order.decision, j);
  if (auto* c = std::get_if<core::create_child>(&u.order.decision)) {
    auto make = creation_of(*c, u.job, context_->sizes);
    call(std::move(u), {}, std::move(make));
  } else if (auto* a = std::get_if<core::create_auxiliary>(&u.order.decision)) {
    auto make = creation_of(*a, u.job);
    call(std::move(u), {}, std::move(make));
  } else if (auto* w = std::get_if<core::update_auxiliary>(&u.order.decision)) {
    auto request = k8s::update(ref, std::move(w->body));
    call(std::move(u), std::move(request));
  } else if (auto* n = std::get_if<core::annotate_pod>(&u.order.decision)) {
    auto request = k8s::merge_patch(
        ref, core::early_failures_patch(n->early_failures, n->uid));
    call(std::move(u), std::move(request));
  } else if (std::holds_alternative<core::read_auxiliary>(u.order.decision)) {
    u.at = step::read;
    call(std::move(u), k8s::list_by_name(ref));
  } else if (auto* r = std::get_if<core::delete_child>(&u.order.decision)) {
    auto request = k8s::remove(ref, r->uid, j.kind->delete_grace_seconds);
    call(std::move(u), std::move(request));
  } else if (std::holds_alternative<core::adopt_child>(u.order.decision)) {
    // A job that is being deleted must not adopt: the object would be
    // garbage-collected with it.
    u.at = step::check_job;
    auto request = k8s::get({j.kind->type, j.ns, j.name});
    call(std::move(u), std::move(request));
  } else if (auto* l = std::get_if<core::release_child>(&u.order.decision)) {
    auto request = k8s::strategic_patch(ref, core::release_patch(j, l->uid));
    call(std::move(u), std::move(request));
  } else {
    refused(u, {k8s::ec::bug, "not an order for a replica group"});
  }
}

void replica_group_state::call(
    under_way u, k8s::request r,
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
    on_write_answer(std::move(u), *a.outcome);
    break;
  case step::read:
    on_child_read(std::move(u), *a.outcome);
    break;
  case step::look:
    on_lookup_answer(std::move(u), *a.outcome);
    break;
  case step::check_job:
    on_job_read(std::move(u), *a.outcome);
    break;
  }
  send_ready();
}

void replica_group_state::on_write_answer(under_way u,
                                          const k8s::result<std::string>& r) {
  auto t = target_of(u.order.decision, *u.job);
  bool removal = is_removal(u.order.decision);
  if (r) {
    auto item = k8s::decode_object(*r, core::detail_of(*u.job->kind, t.kind));
    // An immediate deletion is answered with a Status or the last state.
    bool still_there =
        item && (*item)->meta.uid == t.uid && (*item)->meta.deleted.has_value();
    if (removal)
      done(u, still_there ? *item : nullptr);
    else if (item)
      done(u, *item);
    else
      look_up(std::move(u), item.error());
    return;
  }
  const auto& why = r.error();
  // A deletion has a conflict if another object has the name, and ours is gone;
  // but a webhook, too, may answer so.
  bool conflict_to_look_at =
      why.code == k8s::ec::conflict
      && (removal || is_auxiliary_update(u.order.decision));
  if (why.code == k8s::ec::not_found && !is_creation(u.order.decision)) {
    done(u, nullptr, true);
  } else if (why.code == k8s::ec::exists || outcome_is_unknown(why)
             || conflict_to_look_at) {
    look_up(std::move(u), why);
  } else {
    refused(u, why);
  }
}

void replica_group_state::look_up(under_way u, k8s::failure why) {
  if (u.lookups++ == 0)
    u.first_failure = std::move(why);
  u.at = step::look;
  auto request = k8s::list_by_name(ref_of(u.order.decision, *u.job));
  call(std::move(u), std::move(request));
}

void replica_group_state::on_child_read(under_way u,
                                        const k8s::result<std::string>& r) {
  const auto& wanted = std::get<core::read_auxiliary>(u.order.decision);
  auto page =
      r ? k8s::decode_list(*r, core::detail_of(*u.job->kind, wanted.kind))
        : k8s::result<k8s::list_page>{r.error()};
  if (!page)
    refused(u, page.error());
  else if (page->items.empty() || page->items.front()->meta.uid != wanted.uid)
    done(u, nullptr, true);
  else if (page->items.front()->meta.resource_version < wanted.version)
    refused(u, {k8s::ec::server_error, "the server answered with a version "
                                       "older than its watch told of"});
  else
    done(u, page->items.front());
}

void replica_group_state::on_lookup_answer(under_way u,
                                           const k8s::result<std::string>& r) {
  auto t = target_of(u.order.decision, *u.job);
  auto page = r ? k8s::decode_list(*r, core::detail_of(*u.job->kind, t.kind))
                : k8s::result<k8s::list_page>{r.error()};
  if (!page) {
    if (outcome_is_unknown(page.error()) && u.lookups < most_lookups) {
      look_up(std::move(u), page.error());
      return;
    }
    // Who may not look knows what the call itself was answered.
    bool blind = page.error().code == k8s::ec::forbidden;
    refused(u, blind ? u.first_failure : page.error());
    return;
  }
  auto item = page->items.empty() ? nullptr : page->items.front();
  bool creation = is_creation(u.order.decision);
  if (!item || (!creation && item->meta.uid != t.uid)) {
    if (creation)
      refused(u, u.first_failure);
    else
      done(u, nullptr, true);
  } else if (creation) {
    auto whose = ownership_conflict(u.order.decision, *u.job, item->meta);
    auto why = u.first_failure;
    why.message += "; " + whose;
    if (whose.empty())
      done(u, item, true);
    else
      refused(u, std::move(why), item);
  } else if (is_removal(u.order.decision) && item->meta.deleted) {
    done(u, item);
  } else if (update_is_outdated(u.order.decision, item->meta)) {
    done(u, item, true);
  } else {
    refused(u, u.first_failure);
  }
}

void replica_group_state::on_job_read(under_way u,
                                      const k8s::result<std::string>& r) {
  if (!r) {
    refused(u, r.error());
    return;
  }
  auto job = k8s::decode_object(*r, k8s::object_detail::metadata);
  if (!job || !core::may_adopt((*job)->meta, *u.job)) {
    refused(u, {k8s::ec::not_found, "the job is being deleted"});
    return;
  }
  auto t = target_of(u.order.decision, *u.job);
  u.at = step::act;
  auto request = k8s::strategic_patch(ref_of(u.order.decision, *u.job),
                                      core::adoption_patch(*u.job, t.uid));
  call(std::move(u), std::move(request));
}

void replica_group_state::done(const under_way& u, k8s::object_ptr item,
                               bool already_satisfied) {
  window_.succeeded();
  self_->send(owner_, order_done{u.order, std::move(item), already_satisfied});
}

void replica_group_state::refused(const under_way& u, k8s::failure why,
                                  k8s::object_ptr existing) {
  window_.failed();
  self_->send(owner_,
              order_failed{u.order, std::move(why), std::move(existing)});
}

report_ptr replica_group_state::report() const {
  auto calls = nlohmann::json::array();
  for (const auto& [tag, u] : under_way_)
    calls.push_back(core::describe(u.order.decision));
  auto out = own_report(*self_, {{"type", to_string(which_)},
                                 {"waiting", waiting_.size()},
                                 {"window", window_.size()},
                                 {"underWay", std::move(calls)}});
  return std::make_shared<const nlohmann::json>(std::move(out));
}

replica_group_actor::behavior_type
replica_group(self_pointer<replica_group_actor, replica_group_state> self,
              context_ptr context, group_id which, order_owner_actor owner) {
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
