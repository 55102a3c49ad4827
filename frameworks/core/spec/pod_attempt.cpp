#include "frameworks/core/spec/pod_attempt.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/labels.hpp"
#include "frameworks/core/spec/pod_template.hpp"

#include <string>

namespace troupe::core {

void set_pod_attempt(json& pod, std::optional<std::int32_t> attempt) {
  if (!attempt)
    return;
  const auto number = std::to_string(*attempt);
  ensure_object(ensure_object(pod, "metadata"),
                "labels")[label::restart_attempt] = number;
  auto& spec = ensure_object(pod, "spec");
  for (const char* list : {"containers", "initContainers"})
    if (auto all = spec.find(list); all != spec.end() && all->is_array())
      for (auto& container : *all)
        append_missing_variables(container, {{attempt_variable, number}});
}

} // namespace troupe::core
