#include "actors/jobs/orders/order_request.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/spec/pod_template.hpp"

#include <utility>

namespace troupe::actors {

namespace {

struct get_target {
  const core::job& j;

  order_target operator()(const core::create_child& d) const {
    return {d.kind, core::child_name(j, d), ""};
  }
  order_target operator()(const core::create_auxiliary& d) const {
    return {d.wanted->kind, d.wanted->name, ""};
  }
  order_target operator()(const core::delete_job&) const { return {}; }
  template <class Decision>
  order_target operator()(const Decision& d) const {
    return {d.kind, d.name, d.uid};
  }
};

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

struct make_call {
  const core::child_order& order;
  const core::job_ptr& job;
  const std::shared_ptr<const actor_options>& options;

  using result = k8s::result<order_call>;

  template <class Decision>
  k8s::object_ref object(const Decision& d) const {
    return get_target{*job}(d).ref_in_namespace(job->ns);
  }

  // The body is made from the job, unless the decision has it.
  result operator()(const core::create_child&) const {
    return order_call{
        {},
        [job = job, options = options,
         decision = order.decision]() -> k8s::result<k8s::request> {
          const auto& d = std::get<core::create_child>(*decision);
          auto body = make_child_body(d, *job, options->cluster);
          if (!body)
            return body.error();
          return k8s::with_accept_header(
              creation_response_detail(d, *job->kind),
              k8s::create(core::resource_of(d.kind), job->ns,
                          std::move(*body)));
        }};
  }

  // The response is the whole object: its body is compared later with the
  // desired one.
  result operator()(const core::create_auxiliary&) const {
    return order_call{
        {},
        [job = job, decision = order.decision]() -> k8s::result<k8s::request> {
          const auto& d = std::get<core::create_auxiliary>(*decision);
          auto body = core::make_auxiliary_json(*job, *d.wanted);
          if (!body)
            return body.error();
          return k8s::with_accept_header(
              k8s::object_detail::full,
              k8s::create(core::resource_of(d.wanted->kind), job->ns,
                          std::move(*body)));
        }};
  }

  result operator()(const core::update_auxiliary& d) const {
    return order_call{k8s::update(object(d), d.body)};
  }

  result operator()(const core::annotate_pod& d) const {
    return order_call{k8s::merge_patch(
        object(d),
        core::early_failures_annotation_patch(d.early_failures, d.uid))};
  }

  result operator()(const core::read_auxiliary& d) const {
    return order_call{k8s::list_by_name(object(d))};
  }

  result operator()(const core::delete_child& d) const {
    return order_call{
        k8s::remove(object(d), d.uid, job->kind->pods.delete_grace_seconds)};
  }

  result operator()(const core::adopt_child& d) const {
    return order_call{
        k8s::strategic_patch(object(d), core::adoption_patch(*job, d.uid))};
  }

  result operator()(const core::release_child& d) const {
    return order_call{
        k8s::strategic_patch(object(d), core::release_patch(*job, d.uid))};
  }

  result operator()(const core::delete_job&) const {
    return k8s::failure{k8s::ec::bug, "not an order for a replica group"};
  }
};

} // namespace

k8s::result<order_call>
call_of_order(const core::child_order& order, const core::job_ptr& job,
              const std::shared_ptr<const actor_options>& options) {
  return std::visit(make_call{order, job, options}, *order.decision);
}

order_target target_of_order(const core::decision& d, const core::job& j) {
  return std::visit(get_target{j}, d);
}

bool is_creation(const core::decision& d) {
  return std::holds_alternative<core::create_child>(d)
         || std::holds_alternative<core::create_auxiliary>(d);
}

} // namespace troupe::actors
