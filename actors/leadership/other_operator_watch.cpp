#include "actors/leadership/other_operator_watch.hpp"

#include "actors/base/other_operator.hpp"
#include "config/logging.hpp"
#include "frameworks/core/base/retry.hpp"
#include "k8s/codec/codec.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace troupe::actors {

namespace {

using course = k8s::watch_course;
using verdict = lease_observation::verdict;

constexpr auto lease_detail = k8s::object_detail::spec_and_status;

const char* to_text(verdict v) {
  switch (v) {
  case verdict::unknown:
    return "unknown";
  case verdict::held:
    return "held";
  case verdict::free:
    return "free";
  }
  return "";
}

course new_course() {
  course::limits limits;
  limits.if_forbidden = course::forbidden_list::counts_as_empty;
  return course{limits};
}

} // namespace

void other_operator_watch_state::init(
    context_ptr context, other_operator_config config,
    std::vector<directory_actor> directories) {
  context_ = std::move(context);
  config_ = std::move(config);
  directories_ = std::move(directories);
  for (auto& ns : config_.namespaces) {
    places_.emplace_back();
    places_.back().ns = ns;
  }
}

k8s::selection
other_operator_watch_state::selection_of(const place& where) const {
  return {k8s::resources::leases, where.ns, "",
          "metadata.name=" + config_.lease};
}

other_operator_watch_state::place*
other_operator_watch_state::find_asker(std::uint64_t request) {
  for (auto& p : places_)
    if (p.request == request)
      return &p;
  return nullptr;
}

// -- what the course says -----------------------------------------------------

void other_operator_watch_state::on_start() {
  for (auto& p : places_)
    begin_anew(p);
}

void other_operator_watch_state::begin_anew(place& where) {
  where.course = new_course();
  execute_step(where, where.course.begin());
}

void other_operator_watch_state::execute_step(place& where,
                                              const course::step& next) {
  using action = course::action;
  where.session.reset();
  switch (next.what) {
  case action::list:
  case action::next_page:
  case action::ask_version:
    return request_page(where);
  case action::watch:
    return open_watch_stream(where);
  case action::wait:
    return set_retry_timer(where, next);
  case action::begin_anew:
    return begin_anew(where);
  }
}

void other_operator_watch_state::request_page(place& where) {
  const auto& page = where.course.page();
  where.request = ++last_number_;
  self_->send(context_->gateway_for(""),
              api_call{where.request,
                       k8s::list(selection_of(where), page.objects, page.token),
                       "", call_priority::always,
                       caf::actor_cast<api_caller_actor>(self_)});
}

void other_operator_watch_state::open_watch_stream(place& where) {
  where.request = ++last_number_;
  self_->send(
      context_->gateway_for(""),
      open_stream{where.request,
                  k8s::watch(selection_of(where), where.course.version(),
                             context_->options->watch_limit),
                  lease_detail, caf::actor_cast<stream_reader_actor>(self_)});
}

void other_operator_watch_state::set_retry_timer(place& where,
                                                 const course::step& next) {
  where.request = ++last_number_;
  self_->delayed_send(
      self_,
      core::watch_retry_delay_after(next.why, next.attempt, context_->jitter()),
      timer_fired{where.request});
}

// -- what came of it ----------------------------------------------------------

void other_operator_watch_state::on_page(const api_response& a) {
  auto* where = find_asker(a.tag);
  if (!where)
    return;
  if (!*a.outcome && a.outcome->error().code == k8s::ec::cancelled)
    return; // The operator is stopping.
  auto page = *a.outcome ? k8s::decode_list(**a.outcome, lease_detail)
                         : k8s::result<k8s::list_page>{a.outcome->error()};
  if (!page) {
    note_failed_list(*where, page.error());
    return execute_step(*where,
                        where->course.on_page_failed(page.error(), now()));
  }
  where->refusal_logged = false;
  where->refusals = 0;
  if (where->course.current_phase() == course::phase::listing) {
    if (page->items.empty())
      record_absence(*where);
    for (const auto& lease : page->items)
      record_lease(*where, *lease);
  }
  execute_step(*where, where->course.on_page(
                           {page->items.size() + page->unreadable.size(),
                            (**a.outcome).size(), page->continue_token,
                            page->resource_version},
                           now()));
}

void other_operator_watch_state::note_failed_list(place& where,
                                                  const k8s::failure& why) {
  if (why.code != k8s::ec::not_found && why.code != k8s::ec::forbidden)
    return;
  // A server that is starting answers so, before it has loaded its roles.
  constexpr int least_refusals = 3;
  if (++where.refusals < least_refusals)
    return;
  record_absence(where);
  if (why.code == k8s::ec::not_found)
    return;
  if (!std::exchange(where.refusal_logged, true))
    log::warn(
        "the Lease of another operator may not be read, so it counts as "
        "not running; grant `list` and `watch` of it, as "
        "deploy/rbac/role.yaml does, or name no namespace "
        "(--mpi-operator-lease-namespaces=)",
        {{"lease", where.ns + "/" + config_.lease}, {"error", why.message}});
}

void other_operator_watch_state::on_stream_opened(const stream_opened& s) {
  if (auto* where = find_asker(s.stream))
    where->session = s.session;
}

void other_operator_watch_state::on_stream_accepted(const stream_accepted& s) {
  if (auto* where = find_asker(s.stream))
    where->course.on_watch_accepted(now());
}

void other_operator_watch_state::on_events_arrived(const events_arrived& e) {
  using kind = k8s::watch_event::kind;
  auto* where = find_asker(e.stream);
  if (!where)
    return;
  auto& plan = where->course;
  plan.on_events(now());
  for (const auto& event : *e.events) {
    std::optional<course::step> end;
    if (event.type == kind::bookmark)
      end = plan.on_bookmark(event.resource_version, now());
    else if (event.type == kind::error)
      end = plan.on_error_event(event.code, event.message, now());
    else
      plan.on_object(event.item->meta.resource_version);
    if (event.type == kind::deleted)
      record_absence(*where);
    else if (event.item)
      record_lease(*where, *event.item);
    if (end)
      return execute_step(*where, *end);
  }
}

void other_operator_watch_state::on_stream_ended(const stream_ended& e) {
  if (auto* where = find_asker(e.stream))
    execute_step(*where, where->course.on_watch_ended(*e.outcome, now()));
}

void other_operator_watch_state::on_timer(const timer_fired& fired) {
  if (auto* where = find_asker(fired.timer))
    return execute_step(*where, where->course.on_wait_over(now()));
  for (auto& p : places_)
    if (p.expiry == fired.timer)
      return begin_anew(p);
}

// -- the Lease ----------------------------------------------------------------

void other_operator_watch_state::record_lease(place& where,
                                              const k8s::object& lease) {
  const auto* texts = std::get_if<k8s::spec_and_status_state>(&lease.state);
  where.lease.on_seen(texts ? texts->spec : "null", config_.since_boot());
  set_expiry_timer(where);
  publish_reason();
}

void other_operator_watch_state::record_absence(place& where) {
  where.lease.on_absent();
  set_expiry_timer(where);
  publish_reason();
}

void other_operator_watch_state::set_expiry_timer(place& where) {
  where.expiry = 0;
  auto end = where.lease.expires_at();
  if (!end)
    return;
  where.expiry = ++last_number_;
  auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*end - config_.since_boot());
  self_->delayed_send(self_, left, timer_fired{where.expiry});
}

std::string other_operator_watch_state::reason() const {
  bool unknown = false;
  for (const auto& p : places_) {
    if (p.lease.current() == verdict::held)
      return config_.lease + " runs: " + p.lease.holder() + " holds the Lease "
             + p.ns + "/" + config_.lease;
    unknown = unknown || p.lease.current() == verdict::unknown;
  }
  return unknown ? unknown_operator_reason(config_.lease) : "";
}

void other_operator_watch_state::publish_reason() {
  auto now = reason();
  if (!context_->other->set_reason(now))
    return;
  if (now.empty())
    log::info("no other operator holds the lease, its jobs are looked after",
              {{"operator", config_.lease}});
  else
    log::warn("another operator may look after its jobs, they are left to it; "
              "to change over, scale its Deployment to 0 (docs/migration.md)",
              {{"operator", config_.lease}, {"why", now}});
  for (const auto& one : directories_)
    self_->send(one, atom::other_operator::value);
}

report_ptr other_operator_watch_state::report() const {
  auto leases = nlohmann::json::object();
  for (const auto& p : places_)
    leases[p.ns + "/" + config_.lease] = to_text(p.lease.current());
  auto out = own_report(
      *self_, {{"leases", leases}, {"reason", context_->other->reason()}});
  return std::make_shared<const nlohmann::json>(std::move(out));
}

other_operator_watch_actor::behavior_type other_operator_watch(
    self_pointer<other_operator_watch_actor, other_operator_watch_state> self,
    context_ptr context, other_operator_config config,
    std::vector<directory_actor> directories) {
  self->state.init(std::move(context), std::move(config),
                   std::move(directories));
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.report(); },
      [self](atom::start) { self->state.on_start(); },
      [self](const api_response& a) { self->state.on_page(a); },
      [self](const stream_opened& s) { self->state.on_stream_opened(s); },
      [self](const stream_accepted& s) { self->state.on_stream_accepted(s); },
      [self](const events_arrived& e) { self->state.on_events_arrived(e); },
      [self](const stream_ended& e) { self->state.on_stream_ended(e); },
      [self](const timer_fired& fired) { self->state.on_timer(fired); },
  };
}

} // namespace troupe::actors
