#include "k8s/apiserver/controllers/job_objects.hpp"

namespace troupe::k8s::apiserver {

namespace {

constexpr const char* component = "job-controller";

json make_owner_reference(const json& job) {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"name", text_at(job, {"metadata", "name"})},
          {"uid", text_at(job, {"metadata", "uid"})},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

void add_index_variable(json& container) {
  json source{{"fieldRef",
               {{"fieldPath",
                 std::string("metadata.labels['") + job_index_key + "']"}}}};
  for (const auto& v : array_at(container, {"env"}))
    if (text_at(v, {"name"}) == "JOB_COMPLETION_INDEX")
      return;
  ensure_array(container, "env")
      .push_back(
          {{"name", "JOB_COMPLETION_INDEX"}, {"valueFrom", std::move(source)}});
}

void add_index(json& pod, const std::string& job_name, int index) {
  auto text = std::to_string(index);
  auto& meta = pod["metadata"];
  ensure_object(meta, "annotations")[job_index_key] = text;
  ensure_object(meta, "labels")[job_index_key] = text;
  meta["generateName"] = job_name + "-" + text + "-";
  pod["spec"]["hostname"] = job_name + "-" + text;
  for (auto list : {"containers", "initContainers"})
    if (auto all = pod["spec"].find(list); all != pod["spec"].end())
      for (auto& container : *all)
        add_index_variable(container);
}

} // namespace

json make_job_pod(const json& job, int index) {
  const auto& template_ = value_at(job, {"spec", "template"});
  const auto& job_name = text_at(job, {"metadata", "name"});
  json meta = json::object();
  for (auto key : {"labels", "annotations"})
    if (const auto& of_template = value_at(template_, {"metadata", key});
        of_template.is_object())
      meta[key] = of_template;
  meta["namespace"] = text_at(job, {"metadata", "namespace"});
  meta["generateName"] = job_name + "-";
  meta["ownerReferences"] = json::array({make_owner_reference(job)});
  meta["finalizers"] = strings_at(template_, {"metadata", "finalizers"});
  meta["finalizers"].push_back(job_tracking_finalizer);
  json pod{{"apiVersion", "v1"},
           {"kind", "Pod"},
           {"metadata", std::move(meta)},
           {"spec", value_at(template_, {"spec"})}};
  if (index >= 0)
    add_index(pod, job_name, index);
  return pod;
}

json make_job_event(const json& job, const job_event& event,
                    const std::string& time) {
  const auto& meta = value_at(job, {"metadata"});
  const auto& name = text_at(meta, {"name"});
  const auto& ns = text_at(meta, {"namespace"});
  return {{"apiVersion", "v1"},
          {"kind", "Event"},
          {"metadata", {{"generateName", name + "."}, {"namespace", ns}}},
          {"involvedObject",
           {{"apiVersion", "batch/v1"},
            {"kind", "Job"},
            {"namespace", ns},
            {"name", name},
            {"uid", text_at(meta, {"uid"})},
            {"resourceVersion", text_at(meta, {"resourceVersion"})}}},
          {"type", event.is_warning ? "Warning" : "Normal"},
          {"reason", event.reason},
          {"message", event.message},
          {"source", {{"component", component}}},
          {"reportingComponent", component},
          {"reportingInstance", ""},
          {"count", 1},
          {"firstTimestamp", time},
          {"lastTimestamp", time}};
}

} // namespace troupe::k8s::apiserver
