#include "actors/cli/base/embedded_crds.hpp"

#include "frameworks/conversions.hpp"
#include "frameworks/registry.hpp"
#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <algorithm>

extern "C" {
extern const char troupe_crds_begin[];
extern const char troupe_crds_end[];
}

namespace troupe::cli {

using k8s::text_at;
using k8s::value_at;

namespace {

/// The embedded API server can convert without a webhook, so all versions that
/// there are conversions for are served.
std::string mark_convertible_versions_served(std::string text) {
  for (const auto& c : frameworks::object_conversions())
    if (text.find('"' + c.crd_name() + '"') != text.npos) {
      auto crd = k8s::parse_json_or_null(text);
      for (auto& version : crd["spec"]["versions"])
        version["served"] = true;
      return k8s::to_text(crd);
    }
  return text;
}

} // namespace

std::vector<std::string> embedded_crds() {
  // One in each line.
  auto size = static_cast<std::size_t>(troupe_crds_end - troupe_crds_begin);
  auto all = k8s::split_without_empty_parts({troupe_crds_begin, size}, '\n');
  for (auto& text : all)
    text = mark_convertible_versions_served(std::move(text));
  return all;
}

nlohmann::json embedded_schema_of(const nlohmann::json& object) {
  for (const auto& text : embedded_crds()) {
    auto crd = k8s::parse_json_or_null(text);
    const auto& spec = value_at(crd, {"spec"});
    if (text_at(spec, {"names", "kind"}) != text_at(object, {"kind"}))
      continue;
    for (const auto& version : k8s::array_at(spec, {"versions"}))
      if (text_at(spec, {"group"}) + "/" + text_at(version, {"name"})
          == text_at(object, {"apiVersion"}))
        return value_at(version, {"schema", "openAPIV3Schema"});
  }
  return nullptr;
}

std::vector<std::string> supported_job_kinds() {
  std::vector<std::string> kinds;
  // A kind has a row for each of its API versions.
  for (const auto& f : frameworks::all())
    if (std::find(kinds.begin(), kinds.end(), f.names.type.kind) == kinds.end())
      kinds.push_back(f.names.type.kind);
  return kinds;
}

std::vector<std::string> supported_schemes() {
  auto names = supported_job_kinds();
  for (const auto& f : frameworks::all()) {
    const auto& type = f.names.type;
    auto rows = std::count_if(
        frameworks::all().begin(), frameworks::all().end(),
        [&](const auto& other) { return other.names.type.kind == type.kind; });
    if (rows > 1)
      names.push_back(type.kind + "." + type.version);
  }
  return names;
}

} // namespace troupe::cli
