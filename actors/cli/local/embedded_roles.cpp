#include "actors/cli/local/embedded_roles.hpp"

#include "k8s/json.hpp"
#include "k8s/text.hpp"

extern "C" {
extern const char troupe_roles_begin[];
extern const char troupe_roles_end[];
}

namespace troupe::cli {

std::vector<nlohmann::json> embedded_roles() {
  std::vector<nlohmann::json> out;
  // One in each line.
  auto size = static_cast<std::size_t>(troupe_roles_end - troupe_roles_begin);
  for (const auto& text :
       k8s::split_without_empty_parts({troupe_roles_begin, size}, '\n')) {
    auto object = k8s::parse_json_or_null(text);
    const auto& kind = k8s::text_at(object, {"kind"});
    if (kind.rfind("Cluster", 0) != 0)
      object["metadata"]["namespace"] = operator_namespace;
    out.push_back(std::move(object));
  }
  return out;
}

} // namespace troupe::cli
