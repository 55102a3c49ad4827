#include "actors/jobs/orders/order_course.hpp"

#include "frameworks/core/observed/ownership.hpp"
#include "k8s/codec/codec.hpp"

#include <utility>

namespace troupe::actors {

namespace {

/// The gateway holds calls while the server is away; this is for the first,
/// before that is known, and for answers that cannot be read.
constexpr int most_lookups = 5;

/// So often a creation is sent of which the server says that its name is
/// taken, and a read after that, that it is free: the object has gone between
/// the two. A webhook may say so each time.
constexpr int most_creations = 3;

bool is_child_deletion(const core::decision& d) {
  return std::holds_alternative<core::delete_child>(d);
}

/// Whether nothing is left to be done for a deletion. One without a grace
/// period is more than the deletion that somebody else may have begun.
bool is_as_deleted(const core::decision& d, const k8s::object_meta& found) {
  const auto* deletion = std::get_if<core::delete_child>(&d);
  return deletion && found.deleted
         && (!deletion->at_once
             || found.deletion_grace_seconds == std::int64_t{0});
}

/// The version for which an update was decided; nullptr: it is no update.
const std::string* version_to_update(const core::decision& d) {
  if (const auto* w = std::get_if<core::update_auxiliary>(&d))
    return &w->version;
  const auto* p = std::get_if<core::patch_auxiliary>(&d);
  return p ? &p->version : nullptr;
}

/// Whether an update was decided for an older version of the object: it was
/// already made, or another client changed the object.
bool is_update_outdated(const core::decision& d,
                        const k8s::object_meta& existing) {
  const auto* version = version_to_update(d);
  return version && *version != std::to_string(existing.resource_version);
}

core::ownership_conflict
find_ownership_conflict(const core::decision& creation, const core::job& j,
                        const k8s::object_meta& existing) {
  if (auto* c = std::get_if<core::create_child>(&creation))
    return core::find_ownership_conflict(*c, j, existing);
  return core::find_ownership_conflict(
      std::get<core::create_auxiliary>(creation), j, existing);
}

/// The object that a list of one name shows; nullptr if there is none.
k8s::result<k8s::object_ptr>
decode_listed_object(const k8s::result<std::string>& answer,
                     const core::framework& kind, core::child_kind what) {
  if (!answer)
    return answer.error();
  return k8s::decode_list_of_one(*answer,
                                 core::reconcile_detail_of(kind, what));
}

} // namespace

order_course::order_course(core::child_order order, core::job_ptr job)
    : order_(std::move(order))
    , job_(std::move(job)) {}

order_course::step order_course::begin(const options_ptr& options) {
  if (const auto* d = std::get_if<core::queue_order>(&*order_.decision)) {
    at_ = phase::queue;
    queue_ = std::make_shared<queue_order_course>();
    return step_of_queue(queue_->begin(*d, *job_));
  }
  if (!std::holds_alternative<core::adopt_child>(*order_.decision))
    return begin_ordered_call(options);
  at_ = phase::check_job;
  return order_call{k8s::get({job_->kind->names.type, job_->ns, job_->name})};
}

order_course::step
order_course::begin_ordered_call(const options_ptr& options) {
  at_ = phase::act;
  if (std::holds_alternative<core::read_auxiliary>(*order_.decision))
    at_ = phase::read;
  else if (std::holds_alternative<core::read_node>(*order_.decision))
    at_ = phase::read_node;
  auto call = call_of_order(order_, job_, options);
  return call ? step{std::move(*call)} : failed(call.error());
}

order_course::step
order_course::on_answer(const k8s::result<std::string>& answer,
                        const options_ptr& options) {
  switch (at_) {
  case phase::act:
    return on_write_response(answer);
  case phase::read:
    return on_auxiliary_read(answer);
  case phase::read_node:
    return on_node_read(answer);
  case phase::look:
    return on_lookup_response(answer, options);
  case phase::check_job:
    return on_job_read(answer, options);
  case phase::queue:
    // A copy: whoever has another copy of this course sees nothing of it.
    queue_ = std::make_shared<queue_order_course>(*queue_);
    return step_of_queue(queue_->on_answer(
        std::get<core::queue_order>(*order_.decision), *job_, answer));
  }
  return failed({k8s::ec::bug, "an answer to no call"});
}

order_course::step
order_course::on_write_response(const k8s::result<std::string>& answer) {
  const auto& d = *order_.decision;
  bool deletion = is_child_deletion(d);
  if (answer) {
    auto t = target();
    auto item = k8s::decode_object(
        *answer, core::reconcile_detail_of(*job_->kind, t.kind));
    // An immediate deletion is answered with a Status or the last state.
    bool still_there =
        item && (*item)->meta.uid == t.uid && (*item)->meta.deleted.has_value();
    if (deletion)
      return done(still_there ? *item : nullptr);
    return item ? done(*item) : look_up_object(item.error());
  }
  const auto& why = answer.error();
  if (why.code == k8s::ec::not_found && !is_creation(d))
    return done(nullptr, true);
  // A deletion has a conflict if another object has the name, and ours is gone;
  // but a webhook, too, may answer so.
  bool conflict_to_look_at =
      why.code == k8s::ec::conflict && (deletion || version_to_update(d));
  if (why.code == k8s::ec::exists || is_outcome_unknown(why)
      || conflict_to_look_at)
    return look_up_object(why);
  return failed(why);
}

order_course::step order_course::look_up_object(k8s::failure why) {
  at_ = phase::look;
  order_call call{k8s::list_by_name(target().ref_in_namespace(job_->ns))};
  if (lookups_++ == 0) {
    // Before the read, so that no end of what it shows is missed.
    call.name_is_taken = why.code == k8s::ec::exists;
    first_failure_ = std::move(why);
  }
  return call;
}

order_course::step
order_course::on_auxiliary_read(const k8s::result<std::string>& answer) {
  const auto& wanted = std::get<core::read_auxiliary>(*order_.decision);
  auto item = decode_listed_object(answer, *job_->kind, wanted.kind);
  if (!item)
    return failed(item.error());
  if (*item && wanted.uid.empty())
    return done(*item);
  if (!*item || (*item)->meta.uid != wanted.uid)
    return done(nullptr, true);
  if ((*item)->meta.resource_version < wanted.version)
    return failed({k8s::ec::server_error, "the server answered with a version "
                                          "older than its watch told of"});
  return done(*item);
}

order_course::step
order_course::on_node_read(const k8s::result<std::string>& answer) const {
  if (!answer)
    return answer.error().code == k8s::ec::not_found ? done(nullptr, true)
                                                     : failed(answer.error());
  // Another object than was asked for must not count as a node that is gone.
  auto item = k8s::decode_object(*answer, k8s::object_detail::node);
  if (item && std::holds_alternative<k8s::node_state>((*item)->state))
    return done(*item);
  return failed(item ? k8s::failure{k8s::ec::garbage, "no node"}
                     : item.error());
}

order_course::step
order_course::on_lookup_response(const k8s::result<std::string>& answer,
                                 const options_ptr& options) {
  auto found = decode_listed_object(answer, *job_->kind, target().kind);
  if (!found) {
    // Without the right to read, only the answer to the call itself is known.
    if (found.error().code == k8s::ec::forbidden)
      return failed(*first_failure_);
    return lookups_ < most_lookups ? look_up_object(found.error())
                                   : failed(found.error());
  }
  bool name_is_free_now = is_creation(*order_.decision) && !*found
                          && first_failure_->code == k8s::ec::exists;
  if (!name_is_free_now || creations_ >= most_creations)
    return result_of_lookup(*found);
  if (target().kind == core::child_kind::pod) {
    core::order_failed result{order_, *first_failure_, nullptr};
    result.name_is_free = true;
    return result;
  }
  ++creations_;
  lookups_ = 0;
  return begin_ordered_call(options);
}

order_course::step
order_course::result_of_lookup(const k8s::object_ptr& found) const {
  const auto& d = *order_.decision;
  if (is_creation(d)) {
    if (!found)
      return failed(*first_failure_);
    auto conflict = find_ownership_conflict(d, *job_, found->meta);
    if (!conflict.exists())
      return done(found, true);
    auto why = *first_failure_;
    why.message += "; " + conflict.what;
    return failed(std::move(why), found);
  }
  if (!found || found->meta.uid != target().uid)
    return done(nullptr, true);
  if (is_as_deleted(d, found->meta))
    return done(found);
  return is_update_outdated(d, found->meta) ? done(found, true)
                                            : failed(*first_failure_);
}

order_course::step
order_course::on_job_read(const k8s::result<std::string>& answer,
                          const options_ptr& options) {
  if (!answer)
    return failed(answer.error());
  auto job = k8s::decode_object(*answer, k8s::object_detail::metadata);
  if (!job || !core::can_adopt((*job)->meta, *job_))
    return failed({k8s::ec::not_found, "the job is being deleted"});
  return begin_ordered_call(options);
}

order_course::step order_course::step_of_queue(queue_order_course::step next) {
  if (auto* call = std::get_if<k8s::request>(&next))
    return order_call{std::move(*call)};
  if (auto* end = std::get_if<queue_order_course::end>(&next))
    return done(std::move(end->item), end->already_satisfied);
  return failed(std::get<k8s::failure>(std::move(next)));
}

order_course::step order_course::done(k8s::object_ptr item,
                                      bool already_satisfied) const {
  return core::order_done{order_, std::move(item), already_satisfied};
}

order_course::step order_course::failed(k8s::failure why,
                                        k8s::object_ptr existing) const {
  return core::order_failed{order_, std::move(why), std::move(existing)};
}

} // namespace troupe::actors
