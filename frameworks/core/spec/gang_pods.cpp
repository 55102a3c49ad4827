#include "frameworks/core/spec/gang_pods.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/spec/volcano_group.hpp"

namespace troupe::core {

void set_gang_scheduling_fields(json& pod, const job& j, const slot& at,
                                const cluster_options& cluster) {
  if (cluster.scheduling == gang::none
      || cluster.scheduling == gang::kubernetes)
    return;
  auto& spec = pod["spec"];
  if (text_at(spec, {"schedulerName"}).empty())
    spec["schedulerName"] = cluster.gang_scheduler;
  auto& meta = pod["metadata"];
  if (cluster.scheduling == gang::volcano) {
    meta["annotations"][label::volcano_group] = j.name;
    meta["annotations"][label::volcano_task] = at.type;
    set_sub_group(meta, j, at);
  } else {
    meta["labels"][label::pod_group] = j.name;
  }
}

std::vector<job_event>
foreign_scheduler_warnings(const job& j, const cluster_options& cluster) {
  if (cluster.scheduling == gang::none || cluster.scheduling == gang::kubernetes
      || j.kind->pods.overwrites_scheduler)
    return {};
  for (const auto& type : j.replicas)
    if (!type.template_scheduler.empty()
        && type.template_scheduler != cluster.gang_scheduler)
      return {{true,
               j.kind->messages.template_warning_verb
                   + std::string{"PodTemplateSchedulerName"},
               "Another scheduler is specified when gang-scheduling is enabled "
               "and it will not be overwritten"}};
  return {};
}

} // namespace troupe::core
