#include "actors/jobs/orders/queue_order_course.hpp"

#include "actors/jobs/orders/order_request.hpp"
#include "frameworks/core/model/children.hpp"
#include "frameworks/core/observed/ownership.hpp"
#include "k8s/calls.hpp"
#include "k8s/codec/codec.hpp"

#include <utility>

namespace troupe::actors {

namespace {

constexpr int most_tries = 4;
constexpr int most_classes = 500; // Of a list of PriorityClasses.

k8s::request request_of(const core::queue_read& r) {
  k8s::object_ref ref{r.type, r.ns, r.name};
  using way = core::queue_read::way;
  if (r.how == way::list_all)
    return k8s::list({r.type, "", "", ""}, most_classes, "");
  return r.how == way::list_by_name ? k8s::list_by_name(ref) : k8s::get(ref);
}

k8s::request request_of(core::queue_write w, const std::string& uid) {
  using verb = core::queue_write::verb;
  k8s::object_ref ref{w.type, w.ns, w.name};
  switch (w.how) {
  case verb::create:
    return k8s::create(w.type, w.ns, std::move(w.body));
  case verb::update:
    return k8s::update(ref, std::move(w.body));
  case verb::update_status:
    return k8s::update_status(ref, std::move(w.body));
  case verb::remove:
    break;
  }
  return k8s::remove(ref, uid);
}

queue_order_course::step decoded(const std::string& text, bool is_job,
                                 bool already_satisfied) {
  auto item =
      k8s::decode_object(text, is_job ? k8s::object_detail::spec_and_status
                                      : k8s::object_detail::full);
  if (!item)
    return item.error();
  return queue_order_course::end{*item, already_satisfied};
}

/// The job needs no write. If it is the one for which the write was decided,
/// the same would be decided again.
queue_order_course::step unless_as_known(queue_order_course::step found,
                                         const core::job& j) {
  const auto* end = std::get_if<queue_order_course::end>(&found);
  if (end && end->item->meta.generation <= j.generation)
    return k8s::failure{k8s::ec::invalid,
                        "what was granted is for none of its replica types"};
  return found;
}

} // namespace

queue_order_course::step
queue_order_course::begin(const core::queue_order& order, const core::job& j) {
  answers_.clear();
  at_ = phase::reading;
  return next(order, j);
}

queue_order_course::step
queue_order_course::next(const core::queue_order& order, const core::job& j) {
  auto call = core::next_queue_call(order, j, answers_);
  if (auto* read = std::get_if<core::queue_read>(&call)) {
    may_be_missing_ = read->how == core::queue_read::way::get_if_there;
    return request_of(*read);
  }
  if (auto* why = std::get_if<k8s::failure>(&call))
    return std::move(*why);
  answers_.clear();
  if (auto* nothing = std::get_if<core::queue_nothing>(&call)) {
    if (!nothing->job.empty())
      return order.what == core::queue_action::start
                 ? unless_as_known(decoded(nothing->job, true, true), j)
                 : decoded(nothing->job, true, true);
    return nothing->workload.empty() ? step{end{nullptr, true}}
                                     : decoded(nothing->workload, false, true);
  }
  at_ = phase::writing;
  auto& write = std::get<core::queue_write>(call);
  writes_job_ = write.type.plural == j.kind->names.type.plural;
  return request_of(std::move(write), order.uid);
}

queue_order_course::step
queue_order_course::on_answer(const core::queue_order& order,
                              const core::job& j,
                              const k8s::result<std::string>& answer) {
  if (at_ == phase::writing)
    return on_written(order, j, answer);
  if (at_ == phase::finding)
    return on_existing_read(order, j, answer);
  bool is_missing =
      !answer && may_be_missing_ && answer.error().code == k8s::ec::not_found;
  if (!answer && !is_missing)
    return answer.error();
  answers_.push_back(is_missing ? "null" : *answer);
  return next(order, j);
}

queue_order_course::step
queue_order_course::on_written(const core::queue_order& order,
                               const core::job& j,
                               const k8s::result<std::string>& answer) {
  bool removal = order.what == core::queue_action::remove;
  if (answer) {
    if (removal) // A watch tells when it is gone.
      return end{nullptr, false};
    auto result = decoded(*answer, writes_job_, false);
    if (auto* why = std::get_if<k8s::failure>(&result))
      return begin_again(order, j, std::move(*why));
    return result;
  }
  const auto& why = answer.error();
  if (why.code == k8s::ec::not_found && !writes_job_
      && order.what != core::queue_action::ask
      && order.what != core::queue_action::grow)
    return end{nullptr, true};
  if (why.code == k8s::ec::exists) {
    at_ = phase::finding;
    return k8s::list_by_name(
        {core::resource_of(core::child_kind::workload), j.ns,
         order.second.empty() ? order.name : order.second});
  }
  if (why.code == k8s::ec::conflict || is_outcome_unknown(why))
    return begin_again(order, j, why);
  return why;
}

queue_order_course::step
queue_order_course::begin_again(const core::queue_order& order,
                                const core::job& j, k8s::failure why) {
  return ++tries_ < most_tries ? begin(order, j) : step{std::move(why)};
}

queue_order_course::step queue_order_course::on_existing_read(
    const core::queue_order& order, const core::job& j,
    const k8s::result<std::string>& answer) const {
  if (!answer)
    return answer.error();
  auto found = k8s::decode_list_of_one(*answer, k8s::object_detail::full);
  if (!found)
    return found.error();
  if (*found && core::is_owned_by((*found)->meta, j)) {
    const auto* state = std::get_if<k8s::full_state>(&(*found)->state);
    // It would be decided again and again.
    if (order.what == core::queue_action::grow && state
        && core::read_workload_state(*state).finished)
      return k8s::failure{k8s::ec::exists,
                          "the Workload of that name is finished"};
    return end{*found, true};
  }
  return k8s::failure{k8s::ec::exists,
                      "a Workload of that name is not the job's"};
}

} // namespace troupe::actors
