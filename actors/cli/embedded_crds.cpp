#include "actors/cli/embedded_crds.hpp"

#include "actors/cli/manifest.hpp"
#include "frameworks/conversions.hpp"
#include "frameworks/registry.hpp"
#include "k8s/json.hpp"

#include <algorithm>
#include <string_view>

extern "C" {
extern const char troupe_crds_begin[];
extern const char troupe_crds_end[];
}

namespace troupe::cli {

namespace {

/// The embedded API server can convert without a webhook, so all versions that
/// there are conversions for are served.
void serve_converted_versions(k8s::json& definition) {
  const auto& name = k8s::text_at(definition, {"metadata", "name"});
  for (const auto& c : frameworks::conversions())
    if (c.definition() == name)
      for (auto& version : definition["spec"]["versions"])
        version["served"] = true;
}

} // namespace

k8s::result<std::vector<std::string>> embedded_crds() {
  // All files one after the other, each with its name in a line before it.
  constexpr std::string_view mark = "#file ";
  std::string_view all(
      troupe_crds_begin,
      static_cast<std::size_t>(troupe_crds_end - troupe_crds_begin));
  std::vector<std::string> found;
  for (auto from = all.find(mark); from != std::string_view::npos;) {
    auto begin = from + mark.size();
    auto next = all.find(std::string{"\n"} + std::string{mark}, begin);
    auto name = all.substr(begin, all.find('\n', begin) - begin);
    auto read = parse_manifest(std::string{all.substr(from, next - from)},
                               std::string{name});
    if (!read)
      return read.error();
    for (auto& d : *read) {
      serve_converted_versions(d.value);
      found.push_back(k8s::to_text(d.value));
    }
    from = next == std::string_view::npos ? next : next + 1;
  }
  return found;
}

std::vector<std::string> supported_job_kinds() {
  std::vector<std::string> kinds;
  // A kind has a row for each of its API versions.
  for (const auto& f : frameworks::all())
    if (std::find(kinds.begin(), kinds.end(), f.type.kind) == kinds.end())
      kinds.push_back(f.type.kind);
  return kinds;
}

} // namespace troupe::cli
