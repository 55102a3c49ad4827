#include "actors/cli/manifest/manifest.hpp"

#include "k8s/files.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>

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

failure suggest_kustomization(const std::string& file, std::string directory) {
  if (directory.empty())
    directory = ".";
  return {ec::invalid,
          file + " says how to make manifests, and is none; write -k "
              + directory + " to run what it makes, or name the files"};
}

} // namespace

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

result<std::vector<k8s::yaml_document>>
read_manifest_file(const std::string& path) {
  if (path == "-")
    return parse_manifest({std::istreambuf_iterator<char>{std::cin}, {}},
                          "standard input");
  auto text = k8s::read_file(path);
  if (!text)
    return failure{ec::invalid,
                   text.error().message + "; name a file with a job in it"};
  return parse_manifest(*text, path);
}

result<std::vector<std::string>> manifest_files_at(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (is_kustomization_file(path))
      return suggest_kustomization(path, fs::path{path}.parent_path());
    return std::vector<std::string>{path};
  }
  std::vector<std::string> files;
  for (fs::directory_iterator i{path, error}, end; !error && i != end;
       i.increment(error)) {
    if (is_kustomization_file(i->path()))
      return suggest_kustomization(i->path(), path);
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
