#include "k8s/node/volumes/volume_files.hpp"

#include "k8s/general/files.hpp"
#include "k8s/node/base/files.hpp"
#include "k8s/node/base/pod_fields.hpp"
#include "k8s/node/volumes/projections.hpp"
#include "k8s/node/volumes/resource_fields.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sys/stat.h>
#include <vector>

namespace troupe::k8s::node {

namespace {

namespace fs = std::filesystem;

struct file {
  std::string text;
  mode_t mode = 0;
};
using files = std::map<std::string, file>;

/// Which files a projection asks for, by their path in the volume.
std::optional<std::string>
add_projected_files(const projection& p,
                    const std::map<std::string, std::string>& data,
                    bool optional, files& out) {
  const auto& items = list_at(*p.spec, "items");
  if (items.empty())
    for (const auto& [key, text] : data)
      out[key] = {text, file_mode(p, p.mode)};
  for (const auto& item : items) {
    const auto& key = text_at(item, {"key"});
    const auto& path = text_at(item, {"path"});
    auto found = data.find(key);
    if (found == data.end() && optional)
      continue;
    if (found == data.end())
      return "references non-existent config key: " + key;
    out[path] = {found->second,
                 file_mode(p, number_at(item, {"mode"}, p.mode))};
  }
  return std::nullopt;
}

std::optional<failure> remove_other_files(const std::string& directory,
                                          const files& wanted) {
  // A pod may have made anything here, such as directories that nobody reads.
  std::error_code ignored;
  std::vector<fs::path> old;
  for (fs::recursive_directory_iterator
           i{directory, fs::directory_options::skip_permission_denied, ignored},
       end;
       i != end; i.increment(ignored)) {
    const auto& path = i->path();
    if (!fs::is_directory(i->symlink_status(ignored))
        && wanted.count(path.lexically_relative(directory).string()) == 0)
      old.push_back(path);
  }
  std::error_code wrong;
  for (const auto& path : old)
    if (!fs::remove(path, ignored) && ignored)
      wrong = ignored;
  if (wrong)
    return failure{ec::invalid, directory + ": " + wrong.message()};
  return std::nullopt;
}

/// Files that are being written are not seen: they are made outside.
std::optional<failure>
replace_and_remove_volume_files(const std::string& directory,
                                const files& wanted) {
  auto stage = directory + ".fresh";
  for (const auto& [path, content] : wanted) {
    auto target = fs::path(directory) / path;
    if (auto bad = make_directory_and_parents(target.parent_path().string()))
      return bad;
    if (auto bad = write_file_atomically(stage, content.text, 0600))
      return bad;
    if (::chmod(stage.c_str(), content.mode) != 0
        || ::rename(stage.c_str(), target.c_str()) != 0)
      return failure{ec::invalid, "cannot write " + target.string()};
  }
  return remove_other_files(directory, wanted);
}

result<std::string> downward_api_item_text(const json& pod, const json& item) {
  if (const auto& ref = value_at(item, {"resourceFieldRef"}); ref.is_object())
    return resource_field_text(pod, nullptr, ref, read_host_resources());
  const auto& field = text_at(item, {"fieldRef", "fieldPath"});
  if (auto text = downward_api_field_text(pod, field))
    return std::move(*text);
  return failure{ec::invalid, "unsupported fieldPath: " + field};
}

/// The files that show fields of the pod itself.
std::optional<std::string>
add_downward_api_files(const json& pod, const projection& p, files& out) {
  for (const auto& item : list_at(*p.spec, "items")) {
    auto text = downward_api_item_text(pod, item);
    if (!text)
      return text.error().message;
    out[text_at(item, {"path"})] = {
        *text, static_cast<mode_t>(number_at(item, {"mode"}, p.mode))};
  }
  return std::nullopt;
}

/// What a volume shows of a source that has been read.
std::optional<start_error>
add_source_files(const json& volume, const projection& p,
                 const config_source_content& content, files& out) {
  bool optional = bool_at(*p.spec, {"optional"});
  bool missing = !content && content.error().code == ec::not_found;
  if (missing && !optional)
    return volume_setup_error(volume,
                              p.is_token
                                  ? content.error().message
                                  : lower_case(p.source->first) + " \""
                                        + p.source->second + "\" not found",
                              true);
  if (!missing && !content)
    return volume_setup_error(volume, content.error().message, true);
  if (missing)
    return std::nullopt;
  if (p.is_token) {
    out[text_at(*p.spec, {"path"}, "token")] = {content->at("token"), 0600};
    return std::nullopt;
  }
  if (auto why = add_projected_files(p, *content, optional, out))
    return volume_setup_error(volume, *why, true);
  return std::nullopt;
}

/// Whether the pod gets no credential, as its account is not there or wants
/// none: then the volume that nobody has asked for shows nothing.
bool is_without_automatic_token(const std::vector<projection>& all,
                                const config_sources& data) {
  return std::any_of(all.begin(), all.end(), [&](const auto& p) {
    if (!p.is_token || !bool_at(*p.spec, {"automatic"}))
      return false;
    const auto& content = data.at(*p.source);
    return !content && content.error().code == ec::not_found;
  });
}

} // namespace

bool is_relative_without_dot_dot(const std::string& path) {
  if (path.empty() || path.front() == '/')
    return false;
  auto parts = fs::path(path);
  return std::none_of(parts.begin(), parts.end(),
                      [](const fs::path& p) { return p == ".."; });
}

start_error volume_setup_error(const json& volume, const std::string& why,
                               bool is_retryable) {
  return {"FailedMount",
          "MountVolume.SetUp failed for volume \"" + text_at(volume, {"name"})
              + "\" : " + why,
          is_retryable};
}

std::optional<start_error>
write_projections_if_all_read(const json& pod, const json& volume,
                              const std::string& directory,
                              const config_sources& data) {
  auto all = parse_volume_projections(volume);
  bool is_read = std::all_of(all.begin(), all.end(), [&](const auto& p) {
    return !p.source || data.count(*p.source) > 0;
  });
  if (all.empty() || !is_read)
    return std::nullopt;
  if (is_without_automatic_token(all, data))
    all.clear();
  files wanted;
  for (const auto& p : all) {
    std::optional<start_error> error;
    if (p.source)
      error = add_source_files(volume, p, data.at(*p.source), wanted);
    else if (auto why = add_downward_api_files(pod, p, wanted))
      error = volume_setup_error(volume, *why, false);
    if (error)
      return error;
  }
  for (const auto& [path, content_of] : wanted)
    if (!is_relative_without_dot_dot(path))
      return volume_setup_error(
          volume, "items path \"" + path + "\" must stay in the volume", false);
  if (auto bad = replace_and_remove_volume_files(directory, wanted))
    return volume_setup_error(volume, bad->message, true);
  return std::nullopt;
}

} // namespace troupe::k8s::node
