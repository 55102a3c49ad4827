#include "k8s/node/volumes/projections.hpp"

#include "k8s/node/base/pod_fields.hpp"
#include "k8s/node/volumes/api_access.hpp"

namespace troupe::k8s::node {

namespace {

constexpr std::int64_t default_mode = 0644;

std::optional<projection> parse_config_projection(const json& source,
                                                  const char* secret_name_key,
                                                  std::int64_t mode) {
  if (auto* spec = find_value(source, {"configMap"}); spec && spec->is_object())
    return projection{config_source_name{"ConfigMap", text_at(*spec, {"name"})},
                      spec, mode};
  if (auto* spec = find_value(source, {"secret"}); spec && spec->is_object())
    return projection{
        config_source_name{"Secret", text_at(*spec, {secret_name_key})}, spec,
        mode};
  return std::nullopt;
}

std::optional<projection> parse_projected_source(const json& source,
                                                 std::int64_t mode) {
  if (auto* spec = find_value(source, {"serviceAccountToken"});
      spec && spec->is_object())
    return projection{
        encode_token_source({text_at(*spec, {"audience"}),
                             number_at(*spec, {"expirationSeconds"}, 3600),
                             bool_at(*spec, {"automatic"})}),
        spec, mode, true};
  if (auto* spec = find_value(source, {"downwardAPI"});
      spec && spec->is_object())
    return projection{std::nullopt, spec, mode};
  return parse_config_projection(source, "name", mode);
}

/// `key="value"` lines, as a kubelet writes labels and annotations.
std::string format_map_lines(const json& pod, const char* key) {
  std::string out;
  for (const auto& [name, value] : string_map_at(pod, {"metadata", key})) {
    out += (out.empty() ? "" : "\n") + name + "=";
    append_quoted(out, value);
  }
  return out;
}

} // namespace

std::vector<projection> parse_volume_projections(const json& volume) {
  const auto* projected = find_value(volume, {"projected"});
  if (!projected || !projected->is_object()) {
    std::int64_t mode = default_mode;
    for (const char* kind : {"configMap", "secret"})
      mode = number_at(volume, {kind, "defaultMode"}, mode);
    if (const auto& own = value_at(volume, {"downwardAPI"}); own.is_object())
      return {
          {std::nullopt, &own, number_at(own, {"defaultMode"}, default_mode)}};
    auto one = parse_config_projection(volume, "secretName", mode);
    return one ? std::vector{*one} : std::vector<projection>{};
  }
  auto mode = number_at(*projected, {"defaultMode"}, default_mode);
  std::vector<projection> out;
  for (const auto& source : list_at(*projected, "sources"))
    if (auto one = parse_projected_source(source, mode))
      out.push_back(*one);
  return out;
}

mode_t file_mode(const projection& p, std::int64_t wanted) {
  bool is_secret = p.source && p.source->first == "Secret";
  return static_cast<mode_t>(
      is_secret ? (wanted | wanted << 3 | wanted << 6) & 0700 : wanted);
}

std::string find_unknown_projection_kind(const json& volume) {
  for (const auto& source : array_at(volume, {"projected", "sources"}))
    for (const auto& [key, value] : source.items())
      if (value.is_object() && !parse_projected_source(source, 0))
        return key;
  return "";
}

std::optional<std::string> downward_api_field_text(const json& pod,
                                                   const std::string& path) {
  for (const char* key : {"name", "namespace", "uid"})
    if (path == std::string{"metadata."} + key)
      return text_at(pod, {"metadata", key});
  for (const char* key : {"labels", "annotations"}) {
    auto whole = std::string{"metadata."} + key;
    if (path == whole)
      return format_map_lines(pod, key);
    if (path.size() > whole.size() + 4
        && path.compare(0, whole.size() + 2, whole + "['") == 0
        && path.compare(path.size() - 2, 2, "']") == 0) {
      auto name = path.substr(whole.size() + 2, path.size() - whole.size() - 4);
      return text_at(pod, {"metadata", key, name.c_str()});
    }
  }
  return std::nullopt;
}

} // namespace troupe::k8s::node
