#include "frameworks/core/spec/pod_requests.hpp"

#include "frameworks/core/base/json.hpp"

namespace troupe::core {

namespace {

constexpr const char* requests_and_limits[] = {"requests", "limits"};

bool may_be_of_whole_pod(const std::string& resource) {
  return resource == "cpu" || resource == "memory"
         || resource.rfind("hugepages-", 0) == 0;
}

resource_amounts read_amounts(const json& map) {
  resource_amounts out;
  for (const auto& [name, value] : map.items())
    if (auto q = quantity::parse(value.is_string() ? value.get<std::string>()
                                                   : value.dump()))
      out.emplace(name, *q);
  return out;
}

void add_amounts(resource_amounts& sum, const resource_amounts& more) {
  for (const auto& [name, q] : more)
    sum[name] += q;
}

void raise_to(resource_amounts& least, const resource_amounts& other) {
  for (const auto& [name, q] : other)
    if (auto [at, added] = least.emplace(name, q); !added && at->second < q)
      at->second = q;
}

/// The API server sets requests to limits, resource by resource.
resource_amounts requests_of_container(const json& container) {
  auto out = read_amounts(value_at(container, {"resources", "requests"}));
  out.merge(read_amounts(value_at(container, {"resources", "limits"})));
  return out;
}

resource_amounts requests_of_containers(const json& spec) {
  resource_amounts all;
  for (const auto& c : array_at(spec, {"containers"}))
    add_amounts(all, requests_of_container(c));
  resource_amounts sidecars; // They run beside all that comes after them.
  resource_amounts starting;
  for (const auto& c : array_at(spec, {"initContainers"})) {
    auto step = requests_of_container(c);
    if (text_at(c, {"restartPolicy"}) == "Always") {
      add_amounts(all, step);
      add_amounts(sidecars, step);
      step = sidecars;
    } else {
      add_amounts(step, sidecars);
    }
    raise_to(starting, step);
  }
  raise_to(all, starting);
  return all;
}

} // namespace

bool has_pod_level_resources(const json& pod_template) {
  for (const char* part : requests_and_limits)
    for (const auto& [name, value] :
         value_at(pod_template, {"spec", "resources", part}).items())
      if (may_be_of_whole_pod(name))
        return true;
  return false;
}

void add_pod_requests(resource_amounts& sum, const json& pod_template,
                      std::int32_t times) {
  const auto& spec = value_at(pod_template, {"spec"});
  auto all = requests_of_containers(spec);
  for (const auto& [name, q] :
       read_amounts(value_at(spec, {"resources", "requests"})))
    if (may_be_of_whole_pod(name))
      all[name] = q;
  // Where nothing requests it the API server takes the limit.
  for (const auto& [name, q] :
       read_amounts(value_at(spec, {"resources", "limits"})))
    if (may_be_of_whole_pod(name))
      all.emplace(name, q);
  add_amounts(all, read_amounts(value_at(spec, {"overhead"})));
  for (auto& [name, q] : all)
    q *= times;
  add_amounts(sum, all);
}

} // namespace troupe::core
