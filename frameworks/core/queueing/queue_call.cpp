#include "frameworks/core/queueing/queue_call.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/children.hpp"
#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/queueing/job_admission.hpp"
#include "frameworks/core/queueing/workload_content.hpp"
#include "frameworks/core/queueing/workload_writes.hpp"

#include <map>
#include <optional>

namespace troupe::core {

namespace {

const k8s::resource& workloads() {
  return resource_of(child_kind::workload);
}

/// Of a job that is to wait and names no queue, as Kueue's own webhook has it.
constexpr const char* queue_of_unlabelled = "default";

const k8s::resource local_queues{"kueue.x-k8s.io", "v1beta2", "localqueues",
                                 "LocalQueue"};
const k8s::resource flavors{"kueue.x-k8s.io", "v1beta2", "resourceflavors",
                            "ResourceFlavor"};
const k8s::resource own_classes{"kueue.x-k8s.io", "v1beta2",
                                "workloadpriorityclasses",
                                "WorkloadPriorityClass"};
const k8s::resource pod_classes{"scheduling.k8s.io", "v1", "priorityclasses",
                                "PriorityClass"};

/// Composes the calls of one order. Each step takes the answers that it needs;
/// the first that is missing is the next read.
class call_composer {
public:
  call_composer(const queue_order& order, const job& j,
                const std::vector<std::string>& answers)
      : order_(order)
      , job_(j)
      , answers_(answers) {}

  queue_call compose() {
    switch (order_.what) {
    case queue_action::ask:
      return compose_creation();
    case queue_action::hold:
      return compose_hold();
    case queue_action::remove:
      return write(queue_write::verb::remove, {});
    default:
      break;
    }
    auto workload = read_workload();
    if (!workload)
      return end();
    switch (order_.what) {
    case queue_action::start:
      return compose_start(*workload);
    case queue_action::ask_anew:
      return compose_other_content(std::move(*workload));
    case queue_action::rank:
      return compose_other_priority(std::move(*workload));
    case queue_action::label:
      return compose_take_over(labelled_workload(*workload));
    case queue_action::shrink:
      return write(queue_write::verb::update,
                   shrunk_workload(*workload, order_.pods.returned));
    case queue_action::grow:
      return queue_write{
          queue_write::verb::create, workloads(), job_.ns, order_.second,
          to_text(next_slice(*workload, order_.second, order_.pods.returned))};
    case queue_action::regrow:
      return write(queue_write::verb::update,
                   resized_workload(*workload, order_.pods.returned));
    case queue_action::report:
      return write(queue_write::verb::update_status,
                   reported_workload(*workload, order_.pods, order_.decided));
    case queue_action::release:
      return write(queue_write::verb::update_status,
                   released_workload(*workload, order_.decided));
    case queue_action::finish:
      return write(queue_write::verb::update_status,
                   finished_workload(*workload, order_.reason, order_.message,
                                     order_.decided));
    default:
      return write(queue_write::verb::update, unguarded_workload(*workload));
    }
  }

private:
  queue_call compose_creation() {
    auto object = read_job();
    if (!object)
      return end();
    if (text_at(*object, {"metadata", "labels", label::kueue_queue})
        != job_.queue) // It is decided anew.
      return queue_nothing{"", to_text(*object)};
    if (job_.queue.empty()) {
      auto found = read_answer({local_queues, job_.ns, queue_of_unlabelled,
                                queue_read::way::get_if_there});
      if (!found)
        return end();
      if (found->is_object())
        return write_job_if_changed(*object, in_default_queue(*object));
    }
    auto priority = read_priority(*object);
    if (!priority)
      return end();
    json body{
        {"apiVersion", workloads().api_version()},
        {"kind", workloads().kind},
        {"metadata", make_metadata(*object)},
        {"spec", make_workload_spec(std::move(*object), job_, *priority)}};
    return write(queue_write::verb::create, body);
  }

  /// The label, not only the Workload, names it: Kueue's integration of pods
  /// leaves the pods of such a job alone.
  static json in_default_queue(json object) {
    ensure_object(ensure_object(object, "metadata"),
                  "labels")[label::kueue_queue] = queue_of_unlabelled;
    return object;
  }

  json make_metadata(const json& object) const {
    auto result = make_workload_metadata(object, job_, order_.content_hash);
    result["annotations"][label::workload_requests] = hash_of_requests(job_);
    return result;
  }

  /// Of one that Kueue has made, of a job that runs as it was admitted.
  queue_call compose_take_over(json workload) const {
    if (!job_.policy.suspend)
      ensure_object(workload["metadata"],
                    "annotations")[label::workload_requests] =
          hash_of_requests(job_);
    return write(queue_write::verb::update, workload);
  }

  queue_call compose_hold() {
    std::optional<json> workload = json();
    if (!order_.uid.empty())
      workload = read_workload();
    if (!workload)
      return end();
    auto object = read_job();
    if (!object)
      return end();
    return write_job_if_changed(*object, held_job(*object, job_, *workload));
  }

  queue_call compose_start(const json& workload) {
    std::map<std::string, json> granted;
    for (const auto& name : granted_flavors(workload)) {
      auto flavor = read_object({flavors, "", name});
      if (!flavor)
        return end();
      granted.emplace(name, std::move(*flavor));
    }
    auto object = read_job();
    if (!object)
      return end();
    if (is_newer(*object))
      return queue_nothing{"", to_text(*object)};
    auto started = start_job(*object, job_, workload, granted);
    // While pods are there, quota is not given back.
    if (!started.conflict.empty() && order_.beside_pods)
      return write_job_if_changed(*object, held_job(*object, job_, workload));
    if (!started.conflict.empty())
      return write(queue_write::verb::update_status,
                   finished_workload(workload, "FailedToStart",
                                     started.conflict, order_.decided));
    return write_job_if_changed(*object, std::move(started.object));
  }

  /// Its Workload may not ask for what a person has changed since: that is to
  /// be decided anew.
  bool is_newer(const json& object) const {
    return int64_at(object, {"metadata", "generation"}).value_or(0)
           > job_.generation;
  }

  queue_call compose_other_content(json workload) {
    auto found = read_job_and_priority();
    if (!found)
      return end();
    auto& [object, priority] = *found;
    auto wanted = make_metadata(object);
    erase_copied_annotations(workload);
    for (const char* map : {"labels", "annotations"})
      for (const auto& [key, value] : wanted[map].items())
        ensure_object(ensure_object(workload, "metadata"), map)[key] = value;
    auto active = value_at(workload, {"spec", "active"});
    workload["spec"] = make_workload_spec(std::move(object), job_, priority);
    if (active.is_boolean())
      workload["spec"]["active"] = active;
    return write(queue_write::verb::update, workload);
  }

  queue_call compose_other_priority(json workload) {
    auto found = read_job_and_priority();
    if (!found)
      return end();
    auto& [object, priority] = *found;
    if (priority.of.kind != own_classes.kind) // It is decided anew.
      return queue_nothing{"", to_text(object)};
    workload["spec"]["priorityClassRef"]["name"] = priority.of.name;
    workload["spec"]["priority"] = priority.value;
    return write(queue_write::verb::update, workload);
  }

  /// One that the job has no more, as a gate, would hold it for ever.
  static void erase_copied_annotations(json& workload) {
    auto& all =
        ensure_object(ensure_object(workload, "metadata"), "annotations");
    for (auto i = all.begin(); i != all.end();)
      i = is_copied_annotation(i.key()) ? all.erase(i) : std::next(i);
  }

  // -- reads -----------------------------------------------------------------

  /// nullopt: that is the end, see end().
  std::optional<json> read_answer(queue_read what) {
    if (next_ == answers_.size()) {
      end_ = std::move(what);
      return std::nullopt;
    }
    return parse_json_or_null(answers_[next_++]);
  }

  std::optional<json> read_object(queue_read what) {
    auto object = read_answer(std::move(what));
    if (object && !object->is_object()) {
      end_ = k8s::failure{k8s::ec::garbage, "no object"};
      return std::nullopt;
    }
    return object;
  }

  std::optional<json> read_workload() {
    auto list = read_answer(
        {workloads(), job_.ns, order_.name, queue_read::way::list_by_name});
    if (!list)
      return std::nullopt;
    const auto& items = array_at(*list, {"items"});
    const auto& found = items.empty() ? json{} : items[0];
    if (text_at(found, {"metadata", "uid"}) != order_.uid) {
      end_ = queue_nothing{};
      return std::nullopt;
    }
    auto object = found;
    object["apiVersion"] = workloads().api_version();
    object["kind"] = workloads().kind;
    if (text_at(object, {"metadata", "resourceVersion"})
        != std::to_string(order_.version)) {
      end_ = queue_nothing{to_text(object), ""};
      return std::nullopt;
    }
    return object;
  }

  std::optional<json> read_job() {
    auto object = read_object({job_.kind->names.type, job_.ns, job_.name});
    if (object && text_at(*object, {"metadata", "uid"}) != job_.uid) {
      end_ = k8s::failure{k8s::ec::not_found, "the job is gone"};
      return std::nullopt;
    }
    return object;
  }

  /// nullopt: that is the end, see end().
  std::optional<std::pair<json, workload_priority>> read_job_and_priority() {
    auto object = read_job();
    if (!object)
      return std::nullopt;
    auto priority = read_priority(*object);
    if (!priority)
      return std::nullopt;
    return std::pair{std::move(*object), std::move(*priority)};
  }

  /// By the class that the job names, else by the one that Kubernetes gives to
  /// pods that name none.
  std::optional<workload_priority> read_priority(const json& object) {
    workload_priority result{priority_class_of(object, job_), 0};
    if (result.of.kind.empty()) {
      auto all = read_answer({pod_classes, "", "", queue_read::way::list_all});
      if (!all)
        return std::nullopt;
      if (!text_at(*all, {"metadata", "continue"}).empty()) {
        end_ = k8s::failure{k8s::ec::garbage,
                            "there are too many PriorityClasses to find the "
                            "default one: name one in the job"};
        return std::nullopt;
      }
      return default_priority(*all);
    }
    bool own = result.of.kind == own_classes.kind;
    auto found =
        read_object({own ? own_classes : pod_classes, "", result.of.name});
    if (!found)
      return std::nullopt;
    result.value = int64_at(*found, {"value"}).value_or(0);
    return result;
  }

  /// Of several, which two clients may have made at once, the least.
  static workload_priority default_priority(const json& classes) {
    workload_priority result;
    for (const auto& one : array_at(classes, {"items"})) {
      auto value = int64_at(one, {"value"}).value_or(0);
      if (bool_at(one, {"globalDefault"})
          && (result.of.kind.empty() || value < result.value))
        result = {{pod_classes.group, pod_classes.kind,
                   text_at(one, {"metadata", "name"})},
                  value};
    }
    return result;
  }

  // -- writes ----------------------------------------------------------------

  queue_call write(queue_write::verb how, const json& body) const {
    return queue_write{how, workloads(), job_.ns, order_.name,
                       body.is_null() ? "" : to_text(body)};
  }

  queue_call write_job_if_changed(const json& before, json after) const {
    if (before == after)
      return queue_nothing{"", to_text(before)};
    return queue_write{queue_write::verb::update, job_.kind->names.type,
                       job_.ns, job_.name, to_text(after)};
  }

  queue_call end() { return std::move(end_); }

  const queue_order& order_;
  const job& job_;
  const std::vector<std::string>& answers_;
  std::size_t next_ = 0;
  queue_call end_ = k8s::failure{k8s::ec::bug, "no next call"};
};

} // namespace

queue_call next_queue_call(const queue_order& order, const job& j,
                           const std::vector<std::string>& answers) {
  return call_composer{order, j, answers}.compose();
}

} // namespace troupe::core
