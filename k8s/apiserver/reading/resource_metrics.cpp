#include "k8s/apiserver/reading/resource_metrics.hpp"

#include "k8s/apiserver/reading/list_options.hpp"
#include "k8s/apiserver/reading/reading.hpp"
#include "k8s/usage_source.hpp"

#include <cmath>
#include <map>

namespace troupe::k8s::apiserver {

namespace {

/// The metadata of the objects that are asked for, by name with namespace.
using chosen_objects = std::map<std::pair<std::string, std::string>, json>;

json usage_to_json(const resource_usage& used) {
  auto nanocores = static_cast<std::int64_t>(std::llround(used.cpu * 1e9));
  json out{{"cpu", std::to_string(nanocores) + "n"},
           {"memory", std::to_string(used.memory / 1024) + "Ki"}};
  if (used.gpus) {
    auto busy = std::llround(used.gpus->busy * 1000);
    out["nvidia.com/gpu"] = std::to_string(busy) + "m";
    out["nvidia.com/gpu-memory"] =
        std::to_string(used.gpus->memory / 1024) + "Ki";
  }
  return out;
}

json make_metrics_without_usage(const json& metadata, const node_usage& from) {
  json own{{"name", text_at(metadata, {"name"})},
           {"creationTimestamp", to_rfc3339(from.measured)}};
  for (auto field : {"namespace", "labels"})
    if (auto* value = find_value(metadata, {field}))
      own[field] = *value;
  return {{"metadata", std::move(own)},
          {"timestamp", to_rfc3339(from.measured)},
          {"window", std::to_string(from.window.count()) + "ms"}};
}

json make_pod_metrics(const pod_usage& pod, const json& metadata,
                      const node_usage& from) {
  auto out = make_metrics_without_usage(metadata, from);
  out["containers"] = json::array();
  for (const auto& c : pod.containers)
    out["containers"].push_back(
        {{"name", c.name}, {"usage", usage_to_json(c.used)}});
  return out;
}

json make_metrics_items(bool of_pods, const chosen_objects& chosen,
                        const node_usage& from) {
  auto items = json::array();
  if (!of_pods) {
    if (auto node = chosen.find({"", from.name}); node != chosen.end()) {
      items.push_back(make_metrics_without_usage(node->second, from));
      items.back()["usage"] = usage_to_json(from.used);
    }
    return items;
  }
  for (const auto& pod : from.pods)
    if (auto found = chosen.find({pod.ns, pod.name});
        found != chosen.end() && !pod.containers.empty())
      items.push_back(make_pod_metrics(pod, found->second, from));
  return items;
}

chosen_objects list_selected_metadata(server_state& state,
                                      const request_info& info,
                                      const selector& wanted) {
  chosen_objects out;
  state.objects.for_each(
      info.type->name.plural, info.ns, "",
      [&](const std::string&, const stored_object_ptr& s) {
        s->read_value([&](const json& object) {
          if (!wanted.matches(object))
            return;
          const auto& meta = value_at(object, {"metadata"});
          out[{text_at(meta, {"namespace"}), text_at(meta, {"name"})}] = meta;
        });
        return true;
      });
  return out;
}

} // namespace

void serve_resource_metrics(server_state& state, const request_info& info,
                            const http::response_writer_ptr& writer) {
  if (is_query_flag_set(*info.request, "watch"))
    return writer->reply(method_not_allowed().to_response());
  auto wanted = parse_selectors_and_path_name(info);
  if (!wanted)
    return writer->reply(wanted.error().to_response());
  auto chosen = list_selected_metadata(state, info, *wanted);
  auto answer = [writer, type = info.type, is_list = info.name.empty(),
                 missing = info.not_found_error(),
                 chosen = std::move(chosen)](const node_usage& usage) {
    auto kind = type->name.kind;
    json head{{"apiVersion", type->name.api_version()}, {"kind", kind}};
    auto items = make_metrics_items(type->namespaced, chosen, usage);
    http::response r;
    if (is_list) {
      head["kind"] = kind + "List";
      head["metadata"] = json::object();
      head["items"] = std::move(items);
    } else if (items.empty()) {
      return writer->reply(missing.to_response());
    } else {
      head.update(items.front());
    }
    r.body = to_text(head);
    writer->reply(std::move(r));
  };
  if (state.usage)
    state.usage->measure_usage(answer);
  else
    answer({});
}

} // namespace troupe::k8s::apiserver
