#include "actors/cli/embedded_crds.hpp"

#include "actors/cli/manifest.hpp"
#include "frameworks/registry.hpp"
#include "k8s/json.hpp"

extern "C" {
extern const char troupe_crds_begin[];
extern const char troupe_crds_end[];
}

namespace troupe::cli {

k8s::result<std::vector<std::string>> embedded_crds() {
  // All files one after the other, each with its name in a line before it;
  // reading one takes a while, so the others are not even parsed.
  std::string all(troupe_crds_begin, troupe_crds_end);
  std::vector<std::string> found;
  for (const auto& f : frameworks::all()) {
    auto name = f.type.group + "_" + f.type.plural + ".yaml";
    auto mark = "#file " + name + "\n";
    auto from = all.find(mark);
    if (from == std::string::npos)
      return k8s::failure{k8s::ec::bug, name + " is not in this program"};
    auto to = all.find("\n#file ", from + mark.size());
    auto read = parse_manifest(all.substr(from, to - from), name);
    if (!read)
      return read.error();
    for (const auto& d : *read)
      found.push_back(k8s::to_text(d.value));
  }
  return found;
}

std::vector<std::string> supported_job_kinds() {
  std::vector<std::string> kinds;
  for (const auto& f : frameworks::all())
    kinds.push_back(f.type.kind);
  return kinds;
}

} // namespace troupe::cli
