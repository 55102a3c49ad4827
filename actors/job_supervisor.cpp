#include "actors/job_supervisor.hpp"

#include "actors/metrics.hpp"
#include "actors/replica_group.hpp"
#include "frameworks/core/adoption.hpp"
#include "frameworks/core/auxiliary_objects.hpp"
#include "frameworks/core/events.hpp"
#include "frameworks/core/names.hpp"
#include "frameworks/core/pod_events.hpp"
#include "frameworks/core/pod_template.hpp"
#include "frameworks/core/restarts.hpp"
#include "frameworks/core/retry.hpp"
#include "k8s/calls.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

constexpr std::size_t most_notes = 40;

/// The replica group that carries out a decision: that of the replica type, or
/// the one for auxiliary objects. "": none; the supervisor removes the job.
std::string group_of(const core::decision& d) {
  return std::visit(
      [](const auto& x) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(x)>,
                                     core::remove_job>)
          return {};
        else
          return core::is_replica_child(x.kind) ? x.at.type
                                                : "auxiliary objects";
      },
      d);
}

} // namespace

job_supervisor_state::~job_supervisor_state() {
  if (pass_queued_)
    meter_->dropped();
}

void job_supervisor_state::init(links_ptr out, supervisor_config config) {
  out_ = std::move(out);
  ref_ = std::move(config.job);
  meter_ = &out_->counters->passes(ref_->kind->controller);
  if (config.recover)
    recover();
}

// -- facts --------------------------------------------------------------------

void job_supervisor_state::saw_job(const job_seen& fact) {
  if (fact.item->meta.version > version_)
    adopt_job(*fact.item);
}

void job_supervisor_state::adopt_job(const k8s::object& item) {
  version_ = std::max(version_, item.meta.version);
  created_ = item.meta.created;
  bool first = !job_;
  bool foreign = status_writer_.server_holds(core::saved_status(item));
  if (first || (foreign && !status_writer_.writing()))
    status_ = status_writer_.saved();
  if (first || job_->generation != item.meta.generation
      || job_->deleting != item.meta.deleted.has_value()) {
    auto job = core::decode_job(*ref_->kind, item);
    if (!job) {
      record({true, core::reason(*ref_->kind, "FailedValidation"),
              job.error().message});
      note("job cannot be read: " + job.error().message);
      return;
    }
    job_ = std::make_shared<const core::job>(std::move(*job));
    // Creations that have not been sent were decided for another spec.
    for (auto& [type, group] : groups_)
      self_->send(group, cancel_pending_creations{});
  }
  if (first && !status_.find(core::condition_type::created))
    out_->counters->job_created(ref_->ns, ref_->kind->name);
  reconcile_soon();
}

void job_supervisor_state::saw(const child_seen& fact) {
  take_child(fact.kind, *fact.item, fact.listing);
}

void job_supervisor_state::take_child(core::child_kind kind,
                                      const k8s::object& item,
                                      std::uint64_t listing,
                                      std::uint64_t existed_at_version) {
  if (!job_)
    return; // No job to judge it by. A recovery lists children after the job.
  bool changed = false;
  bool known = seen_.of(kind).count(item.meta.uid) > 0;
  auto events = seen_.record_seen(kind, item, *job_, listing, changed,
                                  existed_at_version);
  if (auto i = seen_.of(kind).find(item.meta.uid);
      status_writer_.saved().finished() && i != seen_.of(kind).end())
    events = core::events_after_end(std::move(events), known, i->second,
                                    status_writer_.saved());
  record_all(events);
  if (changed)
    reconcile_soon();
}

void job_supervisor_state::lost(const child_gone& fact) {
  const auto& uid = fact.item->meta.uid;
  open_.operation_met(fact.kind, uid);
  // An answer on its way may still tell of it as if it were there.
  if (!orders_.empty() || to_recover_ > 0)
    gone_early_.insert(uid);
  if (seen_.record_gone(fact.kind, uid))
    reconcile_soon();
}

void job_supervisor_state::swept(const list_complete& fact) {
  if (seen_.remove_unlisted(fact.about.children, fact.listing, fact.version))
    reconcile_soon();
}

// -- reports ------------------------------------------------------------------

void job_supervisor_state::done(const order_done& report) {
  // Whether memory still has the version of the answer: a watch may be ahead.
  auto is_latest = [this](core::child_kind kind, const k8s::object_meta& meta) {
    auto i = seen_.of(kind).find(meta.uid);
    return i != seen_.of(kind).end() && i->second.version == meta.version;
  };
  orders_.erase(report.order.id);
  const auto& item = report.item;
  if (auto* c = std::get_if<core::create_child>(&report.order.decision)) {
    open_.creation_met(c->kind, c->at);
    if (!report.was_there) {
      bool pod = c->kind == core::child_kind::pod;
      if (pod)
        out_->counters->pod_created();
      else if (c->kind == core::child_kind::service)
        out_->counters->service_created();
      if (pod)
        record_all(core::template_remarks(*job_, c->at, out_->sizes->cluster));
      record_all(core::created_events(*job_, c->kind, item->meta.name, c->at));
    }
    if (gone_early_.count(item->meta.uid) == 0)
      take_child(c->kind, *item, 0);
    if (!core::is_replica_child(c->kind) && !report.was_there
        && is_latest(c->kind, item->meta))
      seen_.record_body(c->kind, item->meta.uid, c->wanted.body);
  } else if (auto* w =
                 std::get_if<core::update_child>(&report.order.decision)) {
    open_.operation_met(w->kind, w->uid);
    if (!item) {
      seen_.record_gone(w->kind, w->uid);
    } else if (gone_early_.count(w->uid) == 0) {
      take_child(w->kind, *item, 0);
      if (!report.was_there && is_latest(w->kind, item->meta))
        seen_.record_body(w->kind, w->uid, w->wanted.body);
    }
  } else if (auto* b = std::get_if<core::read_child>(&report.order.decision)) {
    open_.operation_met(b->kind, b->uid);
    if (!item)
      seen_.record_gone(b->kind, b->uid);
    else if (gone_early_.count(b->uid) == 0)
      take_child(b->kind, *item, 0);
  } else if (auto* r =
                 std::get_if<core::remove_child>(&report.order.decision)) {
    open_.operation_met(r->kind, r->uid);
    if (!report.was_there) {
      if (r->kind == core::child_kind::pod)
        out_->counters->pod_deleted();
      if (restarts_.erase(report.order.id) > 0)
        out_->counters->job_restarted(ref_->ns, ref_->kind->name);
      record_all(core::deleted_events(r->kind, r->name));
    }
    if (item && gone_early_.count(r->uid) == 0)
      take_child(r->kind, *item, 0);
    if (report.was_there && !item)
      seen_.record_gone(r->kind, r->uid);
    else
      seen_.mark_delete_accepted(r->kind, r->uid);
  } else if (item) { // Adopted, released or annotated; it has the UID.
    auto* a = std::get_if<core::adopt_child>(&report.order.decision);
    auto* l = std::get_if<core::release_child>(&report.order.decision);
    auto kind = a ? a->kind : l ? l->kind : core::child_kind::pod;
    open_.operation_met(kind, item->meta.uid);
    if (gone_early_.count(item->meta.uid) == 0)
      take_child(kind, *item, 0);
  }
  if (orders_.empty()) {
    gone_early_.clear();
    reconcile_soon();
  }
}

void job_supervisor_state::refused(const order_failed& report) {
  orders_.erase(report.order.id);
  restarts_.erase(report.order.id);
  const auto& why = report.why;
  auto until = [&](int attempts) {
    return now() + core::delay_after(why, attempts + 1, out_->jitter());
  };
  std::visit(
      [&](const auto& d) {
        using type = std::decay_t<decltype(d)>;
        if constexpr (std::is_same_v<type, core::create_child>) {
          auto before = open_.creation_failures(d.kind, d.at);
          auto unseen =
              core::delay_while_unseen(d.wanted, why, before, out_->jitter());
          open_.creation_failed(d.kind, d.at,
                                unseen ? now() + *unseen : until(before));
          if (d.kind == core::child_kind::service)
            out_->counters->service_refused();
          auto taken = report.there
                           ? core::why_taken(d, *job_, report.there->meta)
                           : std::string{};
          if (why.code != k8s::ec::cancelled && !unseen)
            record(core::is_replica_child(d.kind)
                       ? core::create_failed_event(*job_, d.kind, d.at,
                                                   why.message)
                       : core::auxiliary_failed_event(*job_, d.wanted, why,
                                                      taken));
          // An orphan that is older than this job was reported to an earlier
          // job of the name, if at all: this is the first we know of it.
          if (core::is_replica_child(d.kind) && report.there
              && gone_early_.count(report.there->meta.uid) == 0)
            take_child(d.kind, *report.there, 0);
        } else if constexpr (!std::is_same_v<type, core::remove_job>) {
          auto before = open_.operation_failures(d.kind, d.uid);
          open_.operation_failed(d.kind, d.uid, until(before));
          if (auto said = core::refused_event(d, why, before))
            record(*said);
        }
      },
      report.order.decision);
  if (why.code != k8s::ec::cancelled)
    meter_->failed();
  note("refused: " + core::describe(report.order.decision) + ": "
       + why.message);
  reconcile_soon();
}

void job_supervisor_state::revoked(const orders_cancelled& report) {
  for (const auto& o : report.orders) {
    orders_.erase(o.id);
    if (auto* c = std::get_if<core::create_child>(&o.decision))
      open_.cancel_creation(c->kind, c->at);
  }
  reconcile_soon();
}

// -- passes -------------------------------------------------------------------

void job_supervisor_state::reconcile_soon() {
  if (pass_queued_ || !job_ || to_recover_ > 0)
    return;
  pass_queued_ = true;
  queued_at_ = self_->clock().now();
  meter_->queued();
  self_->send(self_, atom::reconcile::value);
}

void job_supervisor_state::reconcile() {
  using seconds = std::chrono::duration<double>;
  pass_queued_ = false;
  auto begin = self_->clock().now();
  meter_->begun(seconds{begin - queued_at_}.count());
  ++passes_;
  forget_recorded_restarts();
  out_->counters->pass_run();
  auto result = core::plan(*job_, seen_, open_, status_, status_writer_.saved(),
                           now(), out_->sizes->cluster);
  status_ = std::move(result.status);
  verdict_ = std::move(result.verdict);
  status_writer_.record_after_saving(std::move(result.events));
  if (!result.decisions.empty())
    dispatch(result.decisions);
  auto next = result.wake;
  for (auto own : {write_due_status(), inquiry_.settle()})
    if (own && (!next || *own < *next))
      next = own;
  if (next)
    wake_at(*next);
  meter_->ended(seconds{self_->clock().now() - begin}.count(),
                next.has_value());
}

void job_supervisor_state::forget_recorded_restarts() {
  const auto& saved = status_writer_.saved().restarts;
  auto recorded = [&](const core::child_view& v) {
    return std::any_of(saved.begin(), saved.end(),
                       [&](const auto& r) { return r.uid == v.uid; });
  };
  const auto& gone = seen_.vanished();
  if (!job_->policy.backoff_limit
      || std::all_of(gone.begin(), gone.end(), recorded))
    seen_.forget_vanished();
}

void job_supervisor_state::dispatch(
    const std::vector<core::decision>& decisions) {
  auto time = now();
  std::map<std::string, execute_orders> by_type;
  for (const auto& d : decisions) {
    if (auto* removal = std::get_if<core::remove_job>(&d)) {
      remove_the_job(*removal);
      continue;
    }
    expect(d, time);
    if (is_restart(d))
      restarts_.insert(next_order_);
    note(core::describe(d));
    auto& batch = by_type[group_of(d)];
    batch.orders.push_back({next_order_, d});
    orders_.emplace(next_order_++, d);
  }
  for (auto& [type, batch] : by_type) {
    batch.job = job_;
    self_->send(group_for(type), std::move(batch));
  }
}

bool job_supervisor_state::is_restart(const core::decision& d) const {
  const auto* removal = std::get_if<core::remove_child>(&d);
  if (!removal || removal->kind != core::child_kind::pod || status_.finished())
    return false;
  auto pod = seen_.pods().find(removal->uid);
  return pod != seen_.pods().end() && core::is_restart(*job_, pod->second);
}

namespace {

using operation = core::expectations::operation;

operation operation_of(const core::update_child&) {
  return operation::update;
}
operation operation_of(const core::annotate_child&) {
  return operation::annotate;
}
operation operation_of(const core::read_child&) {
  return operation::read;
}
operation operation_of(const core::remove_child&) {
  return operation::remove;
}
operation operation_of(const core::adopt_child&) {
  return operation::adopt;
}
operation operation_of(const core::release_child&) {
  return operation::release;
}

} // namespace

void job_supervisor_state::expect(const core::decision& d,
                                  k8s::time_point time) {
  std::visit(
      [&](const auto& x) {
        using type = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<type, core::create_child>)
          open_.expect_creation(x.kind, x.at, time);
        else if constexpr (!std::is_same_v<type, core::remove_job>)
          open_.expect_operation(x.kind, x.uid, operation_of(x), time);
      },
      d);
}

replica_group_actor& job_supervisor_state::group_for(const std::string& type) {
  auto& group = groups_[type];
  if (!group)
    // Linked: a group that dies takes us along, and our successor reads
    // everything again; so nobody has to guess what became of its orders.
    group = self_->spawn<caf::linked>(
        replica_group, out_, type, caf::actor_cast<order_giver_actor>(self_));
  return group;
}

void job_supervisor_state::record(const core::job_event& event) {
  self_->send(out_->recorder, record_event{ref_, event});
}

void job_supervisor_state::record_all(const std::vector<core::job_event>& all) {
  for (const auto& one : all)
    record(one);
}

void job_supervisor_state::note(std::string text) {
  notes_.push_back({now(), std::move(text)});
  if (notes_.size() > most_notes)
    notes_.pop_front();
}

void job_supervisor_state::wake_at(k8s::time_point when) {
  if (wake_at_ && *wake_at_ <= when && *wake_at_ > now())
    return; // An earlier timer is set; the pass after it sets the next.
  wake_at_ = when;
  auto delay = std::max(when - now(), k8s::time_point::duration{0});
  self_->delayed_send(self_,
                      std::chrono::ceil<std::chrono::milliseconds>(delay),
                      woke_up{++wake_turn_});
}

void job_supervisor_state::woke(const woke_up& w) {
  if (w.turn != wake_turn_)
    return;
  wake_at_.reset();
  if (to_recover_ > 0)
    recover();
  else
    reconcile_soon();
}

void job_supervisor_state::ends(const caf::error& why) {
  // The news of our job's end may be faster than the answer to its removal.
  if (removal_under_way_ && why == caf::exit_reason::user_shutdown)
    tell_of_removal();
  self_->quit(why);
}

job_supervisor_actor::behavior_type job_supervisor(
    job_supervisor_actor::stateful_pointer<job_supervisor_state> self,
    links_ptr out, supervisor_config config) {
  self->state.init(std::move(out), std::move(config));
  self->set_exit_handler(
      [self](const caf::exit_msg& m) { self->state.ends(m.reason); });
  return {
      [self](report_wanted) { return self->state.report(); },
      [self](tree_wanted) { return self->state.tree(); },
      [self](const job_seen& fact) { self->state.saw_job(fact); },
      [self](const child_seen& fact) { self->state.saw(fact); },
      [self](const child_gone& fact) { self->state.lost(fact); },
      [self](const list_complete& fact) { self->state.swept(fact); },
      [self](const order_done& report) { self->state.done(report); },
      [self](const order_failed& report) { self->state.refused(report); },
      [self](const orders_cancelled& report) { self->state.revoked(report); },
      [self](const api_answer& a) { self->state.answered(a); },
      [self](atom::reconcile) { self->state.reconcile(); },
      [self](const woke_up& w) { self->state.woke(w); },
  };
}

} // namespace troupe::actors
