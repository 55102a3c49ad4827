#include "actors/cli/manifest/manifest.hpp"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

namespace troupe::cli {

namespace fs = std::filesystem;
using k8s::ec;
using k8s::failure;
using k8s::result;

namespace {

/// As kubectl looks for it.
bool is_kustomization_file(const fs::path& file) {
  auto name = file.filename();
  return name == "kustomization.yaml" || name == "kustomization.yml"
         || name == "Kustomization";
}

failure kustomization_suggestion_failure(const std::string& file,
                                         std::string directory) {
  if (directory.empty())
    directory = ".";
  return {ec::invalid,
          file + " says how to make manifests, and is none; write -k "
              + directory + " to run what it makes, or name the files"};
}

} // namespace

std::string source_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

result<std::vector<k8s::yaml_document>>
parse_manifest(const std::string& text, const std::string& source) {
  auto all = k8s::parse_yaml(text, source);
  if (all)
    for (const auto& d : *all)
      if (!d.value.is_object())
        return failure{ec::invalid, d.where
                                        + ": must be a Kubernetes object with "
                                          "apiVersion, kind and metadata"};
  return all;
}

result<std::string> read_manifest_text(const std::string& path,
                                       std::size_t& left) {
  auto text = path == "-"
                  ? k8s::read_open_file(STDIN_FILENO, source_name(path), left)
                  : k8s::read_file(path, left);
  if (text) {
    left -= text->size();
    return text;
  }
  if (text.error().code == ec::too_large)
    return failure{ec::invalid,
                   source_name(path) + ": is too long: manifests may have "
                       + std::to_string(most_manifest_bytes >> 20)
                       + " MiB in all; name a file with a job in it, or fewer"};
  return failure{ec::invalid,
                 text.error().message + "; name a file with a job in it"};
}

result<std::vector<std::string>> manifest_files_at(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (is_kustomization_file(path))
      return kustomization_suggestion_failure(path,
                                              fs::path{path}.parent_path());
    return std::vector<std::string>{path};
  }
  std::vector<std::string> files;
  for (fs::directory_iterator i{path, error}, end; !error && i != end;
       i.increment(error)) {
    if (is_kustomization_file(i->path()))
      return kustomization_suggestion_failure(i->path(), path);
    auto kind = i->path().extension();
    if (kind == ".yaml" || kind == ".yml" || kind == ".json")
      files.push_back(i->path().string());
  }
  if (error)
    return failure{ec::invalid, path + ": " + error.message()};
  if (files.empty())
    return failure{ec::invalid, path
                                    + ": has no file that ends in .yaml, "
                                      ".yml or .json; name one with a job"};
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace troupe::cli
