#include "actors/queueing/workload_release.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/child_claims.hpp"
#include "frameworks/core/queueing/queue_course.hpp"
#include "frameworks/core/queueing/workload_writes.hpp"
#include "frameworks/registry.hpp"
#include "k8s/codec/codec.hpp"
#include "k8s/json.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

constexpr int pods_in_page = 500;

const core::framework* kind_of(const k8s::owner_reference& owner) {
  for (const auto& kind : frameworks::all())
    if (core::is_of_kind_in_any_version(owner, kind))
      return &kind;
  return nullptr;
}

const k8s::resource& workloads() {
  return core::resource_of(core::child_kind::workload);
}

} // namespace

workload_release::step workload_release::begin() {
  page_.clear();
  const auto* kind = kind_of(of_.job);
  if (!kind)
    return done{};
  at_ = phase::job;
  return k8s::with_accept_header(
      k8s::object_detail::metadata,
      k8s::get({kind->names.type, of_.ns, of_.job.name}));
}

workload_release::step
workload_release::on_answer(const k8s::result<std::string>& answer,
                            k8s::time_point now) {
  switch (at_) {
  case phase::job:
    return on_job(answer);
  case phase::pods:
    return on_pods(answer, now);
  case phase::workload:
    return on_workload(answer);
  case phase::write:
    break;
  }
  bool over = answer || answer.error().code == k8s::ec::not_found;
  return over ? step{done{}} : step{look_again{}};
}

workload_release::step
workload_release::on_job(const k8s::result<std::string>& answer) {
  if (answer) {
    auto job = k8s::decode_object(*answer, k8s::object_detail::metadata);
    if (!job)
      return look_again{};
    if ((*job)->meta.uid == of_.job.uid)
      return done{}; // Its supervisor looks after it.
  } else if (answer.error().code != k8s::ec::not_found) {
    return look_again{};
  }
  at_ = phase::pods;
  return list_pods();
}

k8s::request workload_release::list_pods() const {
  return k8s::with_accept_header(
      k8s::object_detail::pod,
      k8s::list({k8s::resources::pods, of_.ns,
                 std::string{core::label::job_name} + "="
                     + core::job_name_label_value(of_.job.name),
                 ""},
                pods_in_page, page_));
}

bool workload_release::is_live_pod_of_job(const k8s::object& pod,
                                          k8s::time_point now) const {
  const auto* owner = pod.meta.controller();
  bool made_by_job = owner && owner->kind == "Job"
                     && owner->name == of_.job.name + "-launcher";
  if (!owner || !(owner->uid == of_.job.uid || made_by_job))
    return false;
  const auto* state = std::get_if<k8s::pod_state>(&pod.state);
  bool ended = state
               && (state->phase == k8s::pod_phase::succeeded
                   || state->phase == k8s::pod_phase::failed);
  return !ended
         && !(pod.meta.deleted
              && *pod.meta.deleted + core::overdue_pod_keeps_quota < now);
}

workload_release::step
workload_release::on_pods(const k8s::result<std::string>& answer,
                          k8s::time_point now) {
  auto page = answer ? k8s::decode_list(*answer, k8s::object_detail::pod)
                     : k8s::result<k8s::list_page>{answer.error()};
  if (!page)
    return look_again{};
  for (const auto& pod : page->items)
    if (is_live_pod_of_job(*pod, now))
      return look_again{};
  page_ = page->continue_token;
  if (!page_.empty())
    return list_pods();
  at_ = phase::workload;
  return k8s::list_by_name({workloads(), of_.ns, of_.name});
}

bool workload_release::is_meant(const k8s::json& workload) const {
  if (!of_.uid.empty())
    return k8s::text_at(workload, {"metadata", "uid"}) == of_.uid;
  const auto& owners = k8s::array_at(workload, {"metadata", "ownerReferences"});
  return std::any_of(owners.begin(), owners.end(), [&](const auto& owner) {
    return k8s::bool_at(owner, {"controller"})
           && k8s::text_at(owner, {"uid"}) == of_.job.uid;
  });
}

workload_release::step
workload_release::on_workload(const k8s::result<std::string>& answer) {
  if (!answer)
    return look_again{};
  const auto list = k8s::parse_json_or_null(*answer);
  const auto& items = k8s::array_at(list, {"items"});
  if (items.empty() || !is_meant(items[0]))
    return done{};
  auto object = core::unguarded_workload(items[0]);
  if (object == items[0])
    return done{};
  object["apiVersion"] = workloads().api_version();
  object["kind"] = workloads().kind;
  at_ = phase::write;
  return k8s::update({workloads(), of_.ns, of_.name}, k8s::to_text(object));
}

} // namespace troupe::actors
