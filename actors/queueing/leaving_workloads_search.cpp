#include "actors/queueing/leaving_workloads_search.hpp"

#include "frameworks/core/model/children.hpp"
#include "frameworks/core/model/labels.hpp"
#include "frameworks/core/observed/child_claims.hpp"
#include "frameworks/core/pass/queueing.hpp"
#include "frameworks/registry.hpp"
#include "k8s/codec/codec.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

constexpr int workloads_in_page = 500;

bool is_of_queued_kind(const k8s::owner_reference& owner,
                       const core::cluster_options& cluster) {
  const auto& kinds = frameworks::all();
  return std::any_of(kinds.begin(), kinds.end(), [&](const auto& kind) {
    return core::is_of_kind_in_any_version(owner, kind)
           && core::may_be_queued(kind, cluster);
  });
}

} // namespace

leaving_workloads_search::step leaving_workloads_search::next() const {
  if (namespaces_.empty())
    return done{};
  return k8s::with_accept_header(
      k8s::object_detail::metadata,
      k8s::list({core::resource_of(core::child_kind::workload),
                 namespaces_.back(),
                 std::string{"!"} + core::label::workload_owner, ""},
                workloads_in_page, page_));
}

leaving_workloads_search::step
leaving_workloads_search::on_answer(const k8s::result<std::string>& answer) {
  if (!answer
      && (answer.error().code == k8s::ec::forbidden
          || answer.error().code == k8s::ec::not_found)) {
    leave_namespace(); // Nor could one of it be let go; or Kueue is gone.
    return next();
  }
  auto page = answer ? k8s::decode_list(*answer, k8s::object_detail::metadata)
                     : k8s::result<k8s::list_page>{answer.error()};
  if (!page) {
    page_.clear(); // The token may have expired.
    return look_again{};
  }
  for (const auto& workload : page->items)
    add_if_leaving(workload->meta);
  page_ = page->continue_token;
  if (page_.empty())
    leave_namespace();
  return next();
}

void leaving_workloads_search::leave_namespace() {
  page_.clear();
  namespaces_.pop_back();
}

void leaving_workloads_search::add_if_leaving(
    const k8s::object_meta& workload) {
  const auto* owner = workload.controller();
  if (workload.deleted && owner && is_of_queued_kind(*owner, cluster_))
    found_.push_back({workload.ns, workload.name, workload.uid, *owner});
}

} // namespace troupe::actors
