#include "actors/jobs/orders/order_request.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/spec/native_gang_spec.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "k8s/general/base64.hpp"
#include "k8s/general/ssh_keys.hpp"
#include "k8s/json.hpp"

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
  order_target operator()(const core::read_node&) const { return {}; }
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
  if (d.kind != core::child_kind::pod)
    return core::make_service_json(j, d.at);
  auto pod = core::make_pod_json(j, d.at, cluster, d.early_failures, d.attempt);
  if (pod && !d.scheduling_group.empty())
    return core::with_scheduling_group(*pod, d.scheduling_group);
  return pod;
}

/// What is read of the answer. A service is made from the whole pod.
k8s::object_detail creation_response_detail(const core::create_child& d,
                                            const core::framework& kind) {
  return d.kind == core::child_kind::pod && kind.pods.services_from_pods
             ? core::reconcile_detail_of(kind, d.kind)
             : k8s::object_detail::metadata;
}

/// New keys, as `data` of a Secret.
k8s::result<k8s::json> make_ssh_key_data() {
  auto keys = k8s::make_ssh_keys();
  if (!keys)
    return keys.error();
  return k8s::json{{"ssh-privatekey", k8s::to_base64(keys->private_key)},
                   {"ssh-publickey", k8s::to_base64(keys->public_key)}};
}

k8s::result<std::string> make_auxiliary_body(const core::auxiliary_object& w,
                                             const core::job& j) {
  if (!w.adds_ssh_keys)
    return core::make_auxiliary_json(j, w);
  auto data = make_ssh_key_data();
  if (!data)
    return data.error();
  auto object = core::make_auxiliary_object(j, w);
  object["data"] = std::move(*data);
  return k8s::to_text(object);
}

/// A JSON patch that the server refuses with 409 if the object is not the one
/// and the version that was compared.
k8s::result<std::string> make_patch_body(const core::patch_auxiliary& d) {
  auto operations = k8s::parse_json(d.operations);
  if (!operations)
    return operations.error();
  if (!operations->is_array())
    return k8s::failure{k8s::ec::bug, "a JSON patch that is no list"};
  auto all = k8s::json::array(
      {{{"op", "replace"},
        {"path", "/metadata/resourceVersion"},
        {"value", d.version}},
       {{"op", "replace"}, {"path", "/metadata/uid"}, {"value", d.uid}}});
  for (auto& one : *operations)
    all.push_back(std::move(one));
  if (d.adds_ssh_keys) {
    auto data = make_ssh_key_data();
    if (!data)
      return data.error();
    all.push_back(
        {{"op", "add"}, {"path", "/data"}, {"value", std::move(*data)}});
  }
  return k8s::to_text(all);
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
          auto body = make_auxiliary_body(*d.wanted, *job);
          if (!body)
            return body.error();
          return k8s::with_accept_header(
              core::reconcile_detail_of(d.wanted->kind),
              k8s::create(core::resource_of(d.wanted->kind), job->ns,
                          std::move(*body)));
        }};
  }

  result operator()(const core::update_auxiliary& d) const {
    return order_call{k8s::update(object(d), d.body)};
  }

  // Made when it is sent: private keys are in no queue.
  result operator()(const core::patch_auxiliary&) const {
    return order_call{
        {},
        [object =
             get_target{*job}(std::get<core::patch_auxiliary>(*order.decision))
                 .ref_in_namespace(job->ns),
         decision = order.decision]() -> k8s::result<k8s::request> {
          const auto& d = std::get<core::patch_auxiliary>(*decision);
          auto body = make_patch_body(d);
          if (!body)
            return body.error();
          return d.of_status ? k8s::patch_status(object, std::move(*body))
                             : k8s::json_patch(object, std::move(*body));
        }};
  }

  result operator()(const core::annotate_pod& d) const {
    return order_call{k8s::merge_patch(
        object(d),
        core::early_failures_annotation_patch(d.early_failures, d.uid))};
  }

  result operator()(const core::read_auxiliary& d) const {
    return order_call{k8s::list_by_name(object(d))};
  }

  result operator()(const core::read_node& d) const {
    return order_call{k8s::get({k8s::resources::nodes, "", d.name})};
  }

  result operator()(const core::delete_child& d) const {
    auto grace =
        d.at_once ? std::optional{0} : job->kind->pods.delete_grace_seconds;
    return order_call{k8s::remove(object(d), d.uid, grace)};
  }

  result operator()(const core::adopt_child& d) const {
    return order_call{
        k8s::strategic_patch(object(d), core::adoption_patch(*job, d.uid))};
  }

  result operator()(const core::release_child& d) const {
    return order_call{
        k8s::strategic_patch(object(d), core::release_patch(*job, d.uid))};
  }

  result operator()(const core::queue_order&) const {
    return k8s::failure{k8s::ec::bug, "no order of one call"};
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

bool is_outcome_unknown(const k8s::failure& f) {
  return f.code == k8s::ec::timeout || f.code == k8s::ec::unreachable
         || f.code == k8s::ec::server_error || f.code == k8s::ec::garbage;
}

bool is_creation(const core::decision& d) {
  return std::holds_alternative<core::create_child>(d)
         || std::holds_alternative<core::create_auxiliary>(d);
}

} // namespace troupe::actors
