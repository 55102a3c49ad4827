#include "actors/cli/operator/stored_versions.hpp"

#include "config/logging.hpp"
#include "k8s/calls.hpp"
#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <chrono>

namespace troupe::cli {

using k8s::array_at;
using k8s::bool_at;
using k8s::text_at;
using nlohmann::json;

namespace {

constexpr const char* mpijobs = "mpijobs.kubeflow.org";
constexpr std::chrono::seconds patience{30};

std::string storage_version(const json& definition) {
  for (const auto& version : array_at(definition, {"spec", "versions"}))
    if (bool_at(version, {"storage"}))
      return text_at(version, {"name"});
  return {};
}

} // namespace

std::string rewrite_advice(const json& definition) {
  auto stored = k8s::strings_at(definition, {"status", "storedVersions"});
  auto now = storage_version(definition);
  if (stored.size() < 2 || now.empty())
    return {};
  auto name = text_at(definition, {"metadata", "name"});
  auto objects = text_at(definition, {"spec", "names", "plural"}) + "." + now
                 + "." + text_at(definition, {"spec", "group"});
  // A replacement by what was read writes an object in the stored version.
  return "kubectl get " + objects + " -A -o json | kubectl replace -f - && "
         + "kubectl patch customresourcedefinition " + name
         + " --subresource=status --type=merge --patch "
           R"('{"status":{"storedVersions":[")"
         + now + R"("]}}')";
}

void log_rewrite_advice_on_mpijobs(const std::shared_ptr<k8s::api>& client) {
  client->send(
      k8s::get({k8s::resources::custom_resource_definitions, "", mpijobs}),
      patience, [](const k8s::result<std::string>& answer) {
        auto definition = answer ? k8s::parse_json_or_null(*answer) : json{};
        if (auto how = rewrite_advice(definition); !how.empty())
          log::info(
              "jobs may be stored in several versions, which does no harm; to "
              "rewrite them in the one that is stored now, run `rewrite`",
              {{"definition", mpijobs},
               {"stored",
                k8s::join(
                    k8s::strings_at(definition, {"status", "storedVersions"}),
                    ", ")},
               {"rewrite", how}});
      });
}

} // namespace troupe::cli
