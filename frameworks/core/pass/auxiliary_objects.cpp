#include "frameworks/core/pass/auxiliary_objects.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/gangs/gang.hpp"
#include "frameworks/core/gangs/native_gang.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/pass/queueing.hpp"
#include "frameworks/core/spec/native_gang_spec.hpp"
#include "frameworks/core/spec/pod_progress.hpp"
#include "frameworks/core/spec/pod_template.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

const child_view* find_child_by_name(const observed_children& seen,
                                     child_kind kind, const std::string& name) {
  for (const auto& v : seen.children_of_kind(kind))
    if (v.name == name)
      return &v;
  return nullptr;
}

std::vector<auxiliary_object>
list_desired_auxiliary_objects(const reconcile_context& ctx,
                               const observed_children& seen) {
  std::vector<auxiliary_object> wanted;
  if (auto group = desired_pod_group(ctx.job, seen, ctx.cluster))
    wanted.push_back(std::move(*group));
  if (ctx.job.kind->hooks.auxiliary_objects)
    for (auto& b :
         ctx.job.kind->hooks.auxiliary_objects(ctx.job, seen, ctx.cluster))
      wanted.push_back(std::move(b));
  if (tells_pods_where_to_report(ctx.job, ctx.cluster))
    wanted.push_back(report_config_map(ctx.job, ctx.cluster));
  else if (find_child_by_name(seen, child_kind::config_map,
                              report_config_map_name(ctx.job)))
    wanted.push_back(report_config_map(ctx.job, {})); // Pods mount it.
  return wanted;
}

/// Whether it is not made while the job is held for its gang: not its pod
/// group, and nothing that stands beside the pods.
bool is_needed_by_pods_only(const auxiliary_object& w) {
  return w.before_pods && w.kind != child_kind::volcano_group
         && w.kind != child_kind::pod_group;
}

/// Whether the server's object contains all that is desired; what the server
/// added (defaults) is ignored.
bool contains_applied_fields(const json& there,
                             const json& last_applied_content) {
  if (last_applied_content.is_object()) {
    for (const auto& [key, value] : last_applied_content.items())
      if (!contains_applied_fields(value_at(there, {key.c_str()}), value))
        return false;
    return true;
  }
  if (!last_applied_content.is_array())
    return there == last_applied_content;
  return there.is_array() && there.size() == last_applied_content.size()
         && std::equal(last_applied_content.begin(), last_applied_content.end(),
                       there.begin(), [](const auto& a, const auto& t) {
                         return contains_applied_fields(t, a);
                       });
}

/// What was applied before and is no longer desired: null for each member of
/// it.
json merge_patch_of_dropped_fields(const json& before, const json& now) {
  auto result = json::object();
  if (!before.is_object() || !now.is_object())
    return result;
  for (const auto& [key, value] : before.items())
    if (auto i = now.find(key); i == now.end())
      result[key] = nullptr;
    else if (auto inner = merge_patch_of_dropped_fields(value, *i);
             !inner.empty())
      result[key] = std::move(inner);
  return result;
}

json merge_patch_of_dropped_fields(const auxiliary_texts& there,
                                   const auxiliary_object& w) {
  return merge_patch_of_dropped_fields(parse_json_or_null(there.last_applied),
                                       parse_json_or_null(w.body));
}

bool is_as_desired(const auxiliary_content& there, const auxiliary_object& w) {
  if (there.is_result_of_applying(w))
    return true;
  return !there.stored_as_sent
         && merge_patch_of_dropped_fields(*there.texts, w).empty()
         && contains_applied_fields(parse_json_or_null(there.texts->body),
                                    parse_json_or_null(w.body));
}

/// The object as it is on the server, including what others added, changed to
/// the desired content.
json corrected_object(const auxiliary_texts& there, const auxiliary_object& w) {
  const auto& type = resource_of(w.kind);
  auto object = parse_json_or_null(there.body);
  object.merge_patch(merge_patch_of_dropped_fields(there, w));
  object.merge_patch(parse_json_or_null(w.body));
  object["apiVersion"] = type.api_version();
  object["kind"] = type.kind;
  object["metadata"] = parse_json_or_null(there.metadata);
  return object;
}

/// The same of an object in which all is from us.
json replacing_object(const child_view& v, const job& of,
                      const auxiliary_object& w) {
  auto object = make_auxiliary_object(of, w);
  object["metadata"]["uid"] = v.uid.text();
  object["metadata"]["resourceVersion"] = std::to_string(v.version);
  return object;
}

/// It replaces exactly the version that was compared.
void plan_auxiliary_correction_or_read(reconcile_context& ctx,
                                       const child_view& v,
                                       const auxiliary_object& w) {
  const auto* why = "it differs from what the job needs";
  const auto& there = *v.content;
  if (there.stored_as_sent && !there.can_be_replaced_without_loss_by(w))
    return ctx.plan_auxiliary_read_unless_blocked(w.kind, v, why);
  auto object = there.stored_as_sent ? replacing_object(v, ctx.job, w)
                                     : corrected_object(*there.texts, w);
  auto version = text_at(object, {"metadata", "resourceVersion"});
  ctx.plan_auxiliary_update_unless_blocked(v, w, std::move(version),
                                           to_text(object), why);
}

/// Whether any body will do.
bool accepts_any_body(const auxiliary_object& w) {
  return contains_applied_fields(json{}, parse_json_or_null(w.body));
}

/// Whether the one that it refers to has been seen by others than ourselves.
bool has_no_unconfirmed_reference(const observed_children& seen,
                                  const auxiliary_object& w) {
  if (!w.refers_to)
    return true;
  const auto& known = seen.children_of_kind(*w.refers_to);
  return std::any_of(known.begin(), known.end(),
                     [](const auto& v) { return v.owned && v.confirmed; });
}

bool is_desired(const std::vector<auxiliary_object>& wanted, child_kind kind,
                const child_view& v) {
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](const auxiliary_object& w) {
                       return w.kind == kind && w.name == v.name;
                     });
}

void delete_undesired_auxiliary(reconcile_context& ctx,
                                const observed_children& seen,
                                const std::vector<auxiliary_object>& wanted) {
  for (auto kind : all_child_kinds)
    if (!is_replica_child(kind) && kind != child_kind::native_group
        && kind != child_kind::workload)
      for (const auto& v : seen.children_of_kind(kind))
        if (!is_desired(wanted, kind, v))
          ctx.plan_deletion_unless_blocked(kind, v,
                                           "the job no longer needs it");
}

/// Whether it is there, if pods need it.
bool is_no_obstacle_to_pods(const observed_children& seen,
                            const auxiliary_object& w) {
  const auto* v = find_child_by_name(seen, w.kind, w.name);
  return !w.before_pods || (v && !v->terminating);
}

void delete_native_groups_except(reconcile_context& ctx,
                                 const observed_children& seen,
                                 const std::string& kept, const char* why) {
  for (const auto& v : seen.children_of_kind(child_kind::native_group))
    if (v.name != kept)
      ctx.plan_deletion_unless_blocked(child_kind::native_group, v, why);
}

/// When the first one is made.
void tell_of_ignored_scheduling_fields(reconcile_context& ctx,
                                       const auxiliary_object& group) {
  if (ctx.expectations.consecutive_creation_failures(creation_key{group}) > 0)
    return;
  if (auto event = ignored_scheduling_fields_event(ctx.job))
    ctx.result.events.push_back(std::move(*event));
}

std::string gang_waiting_summary(const observed_children& seen) {
  auto why = gang_waiting_reason(seen);
  return "waits until its pod group is admitted"
         + (why.empty() ? why : "; " + why);
}

} // namespace

void create_correct_or_read_auxiliary(reconcile_context& ctx,
                                      const observed_children& seen,
                                      const auxiliary_object& w) {
  const auto* v = find_child_by_name(seen, w.kind, w.name);
  if (!v && has_no_unconfirmed_reference(seen, w))
    ctx.plan_auxiliary_creation_unless_blocked(w, "the job needs it");
  else if (v && v->owned && !v->is_content_current() && !accepts_any_body(w))
    ctx.plan_auxiliary_read_unless_blocked(
        w.kind, *v, "it may differ from what the job needs");
  else if (v && v->owned && !is_as_desired(*v->content, w))
    plan_auxiliary_correction_or_read(ctx, *v, w);
}

std::string
reconcile_auxiliary_and_get_pod_blocker(reconcile_context& ctx,
                                        const observed_children& seen) {
  const auto wanted = list_desired_auxiliary_objects(ctx, seen);
  bool held = is_held_for_gang(seen, ctx.status(), ctx.cluster);
  bool pods_may_come = true;
  for (const auto& w : wanted) {
    if (held && is_needed_by_pods_only(w))
      continue;
    if (!w.body.empty() || w.kind != child_kind::config_map)
      create_correct_or_read_auxiliary(ctx, seen, w);
    pods_may_come &= is_no_obstacle_to_pods(seen, w);
  }
  delete_undesired_auxiliary(ctx, seen, wanted);
  auto native = reconcile_native_group_and_get_pod_blocker(ctx, seen);
  if (!pods_may_come)
    return tells_pods_where_to_report(ctx.job, ctx.cluster)
                   && ctx.cluster.progress_authority.empty()
               ? "waits for the certificate of the server to which its pods "
                 "report"
               : "waits for the objects that its pods need";
  return waits_for_volcano_admission(seen, ctx.cluster)
             ? gang_waiting_summary(seen)
             : native;
}

void delete_undesired_auxiliary_for_suspend(reconcile_context& ctx,
                                            const observed_children& seen) {
  delete_undesired_auxiliary(ctx, seen,
                             list_desired_auxiliary_objects(ctx, seen));
  delete_native_groups_except(ctx, seen, "", "the job is suspended");
}

std::string
reconcile_native_group_and_get_pod_blocker(reconcile_context& ctx,
                                           const observed_children& seen) {
  if (ctx.cluster.scheduling != gang::kubernetes) {
    delete_native_groups_except(ctx, seen, "", "it is not used");
    return {};
  }
  auto step =
      decide_native_gang({ctx.job, seen, ctx.children, *ctx.status().recovery,
                          ctx.expectations, ctx.now});
  if (step.warning)
    ctx.result.standing_warning = std::move(step.warning);
  if (step.look_again_at)
    ctx.requeue_no_later_than(*step.look_again_at);
  delete_native_groups_except(ctx, seen, step.group_of_pods,
                              "the job no longer needs it");
  if (!step.group)
    return {};
  ctx.scheduling_group = step.group_of_pods;
  ctx.group_changes_first = step.changes_first;
  const auto before = ctx.result.decisions.size();
  create_correct_or_read_auxiliary(ctx, seen, *step.group);
  if (ctx.result.decisions.size() > before
      && std::holds_alternative<create_auxiliary>(ctx.result.decisions.back()))
    tell_of_ignored_scheduling_fields(ctx, *step.group);
  if (!is_no_obstacle_to_pods(seen, *step.group))
    return "waits for the PodGroup that its pods name";
  return step.changes_first
             ? "waits until its PodGroup asks for as many pods as there will be"
             : "";
}

std::optional<std::chrono::milliseconds>
retry_delay_for_unseen_ref(const auxiliary_object& wanted,
                           const k8s::failure& why, int failures_before,
                           double jitter) {
  constexpr int shortest_ms = 250;
  bool unseen =
      why.code == k8s::ec::not_found || why.code == k8s::ec::forbidden;
  if (!wanted.refers_to || !unseen || failures_before > 0)
    return std::nullopt;
  return std::chrono::milliseconds{shortest_ms
                                   + static_cast<int>(jitter * shortest_ms)};
}

void delete_pod_groups(reconcile_context& ctx, const observed_children& seen,
                       const char* why) {
  for (auto kind : {child_kind::volcano_group, child_kind::pod_group,
                    child_kind::native_group})
    for (const auto& v : seen.children_of_kind(kind))
      ctx.plan_deletion_unless_blocked(kind, v, why);
}

void delete_pod_groups_of_finished_job(reconcile_context& ctx,
                                       const observed_children& seen) {
  delete_pod_groups(ctx, seen, "the job has finished");
}

std::vector<child_kind> auxiliary_kinds_for(const framework& f,
                                            const cluster_options& cluster) {
  auto result = f.hooks.auxiliary_kinds;
  auto add = [&result](child_kind kind) {
    if (std::find(result.begin(), result.end(), kind) == result.end())
      result.push_back(kind);
  };
  if (!cluster.progress_url.empty() && takes_reports(f))
    add(child_kind::config_map);
  if (may_be_queued(f, cluster))
    result.push_back(child_kind::workload);
  if (cluster.scheduling == gang::volcano)
    result.push_back(child_kind::volcano_group);
  if (cluster.scheduling == gang::coscheduling)
    result.push_back(child_kind::pod_group);
  if (cluster.scheduling == gang::kubernetes)
    result.push_back(child_kind::native_group);
  return result;
}

} // namespace troupe::core
