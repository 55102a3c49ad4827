#include "actors/cli/manifest.hpp"

#include "actors/cli/scalar.hpp"

#include <yaml-cpp/yaml.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

namespace troupe::cli {

namespace {

using k8s::ec;
using k8s::failure;
using nlohmann::json;

/// Anchors can make a small file huge; nothing honest comes near this.
constexpr std::size_t most_nodes = 1'000'000;
constexpr int most_depth = 200;

/// Thrown inside this file only.
struct refusal {
  YAML::Mark mark;
  std::string what;
};

std::string place(const std::string& path, const YAML::Mark& mark) {
  return path + ":" + std::to_string(mark.line + 1);
}

class converter {
public:
  json convert(const YAML::Node& n, int depth = 0) {
    if (++nodes_ > most_nodes || depth > most_depth)
      throw refusal{n.Mark(), "is nested too deeply, or its anchors repeat "
                              "too much"};
    switch (n.Type()) {
    case YAML::NodeType::Scalar:
      return scalar(n.Scalar(), n.Tag());
    case YAML::NodeType::Sequence: {
      auto out = json::array();
      for (const auto& item : n)
        out.push_back(convert(item, depth + 1));
      return out;
    }
    case YAML::NodeType::Map:
      return mapping(n, depth);
    case YAML::NodeType::Null:
    case YAML::NodeType::Undefined:
      break;
    }
    return nullptr;
  }

private:
  json mapping(const YAML::Node& n, int depth) {
    auto out = json::object();
    std::vector<json> merged;
    for (const auto& entry : n) {
      if (!entry.first.IsScalar())
        throw refusal{entry.first.Mark(), "has a key that is no plain word"};
      auto key = entry.first.Scalar();
      auto value = convert(entry.second, depth + 1);
      if (key == "<<" && entry.first.Tag() == "?") {
        if (value.is_array())
          for (auto& one : value)
            merged.push_back(std::move(one));
        else
          merged.push_back(std::move(value));
      } else if (!out.emplace(key, std::move(value)).second) {
        throw refusal{entry.first.Mark(), "has the key " + key + " twice"};
      }
    }
    // What the mapping says itself goes before what it merges in.
    for (const auto& other : merged) {
      if (!other.is_object())
        throw refusal{n.Mark(), "merges (<<) what is no mapping"};
      for (const auto& [key, value] : other.items())
        out.emplace(key, value);
    }
    return out;
  }

  std::size_t nodes_ = 0;
};

} // namespace

k8s::result<std::vector<document>> read_manifest(const std::string& text,
                                                 const std::string& path) {
  try {
    std::vector<document> all;
    for (const auto& root : YAML::LoadAll(text)) {
      if (root.IsNull() || !root.IsDefined())
        continue;
      auto where = place(path, root.Mark());
      if (!root.IsMap())
        return failure{ec::invalid, where
                                        + ": is no Kubernetes object: wants "
                                          "apiVersion, kind and metadata"};
      all.push_back({converter{}.convert(root), where});
    }
    return all;
  } catch (const refusal& r) {
    return failure{ec::invalid, place(path, r.mark) + ": " + r.what};
  } catch (const YAML::Exception& e) {
    return failure{ec::invalid, place(path, e.mark) + ": not YAML: " + e.msg};
  }
}

k8s::result<json> parse_yaml_document(const std::string& text,
                                      const std::string& path) {
  try {
    return converter{}.convert(YAML::Load(text));
  } catch (const refusal& r) {
    return failure{ec::invalid, place(path, r.mark) + ": " + r.what};
  } catch (const YAML::Exception& e) {
    return failure{ec::invalid, place(path, e.mark) + ": not YAML: " + e.msg};
  }
}

k8s::result<std::vector<document>> read_manifest_file(const std::string& path) {
  std::stringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return read_manifest(text.str(), "standard input");
  }
  errno = 0;
  std::ifstream in(path);
  if (!in || (in.peek() != EOF && !(text << in.rdbuf())) || errno != 0)
    return failure{ec::invalid, path + ": cannot be read: "
                                    + std::strerror(errno ? errno : EIO)
                                    + "; name a file with a job in it"};
  return read_manifest(text.str(), path);
}

} // namespace troupe::cli
