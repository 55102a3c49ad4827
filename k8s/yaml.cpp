#include "k8s/yaml.hpp"

#include "k8s/text.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <set>
#include <sstream>

namespace troupe::k8s {

namespace {

/// Anchors can make a small file huge; nothing honest comes near this.
constexpr std::size_t most_nodes = 1'000'000;
constexpr int most_depth = 200;

/// YAML that the library reads and we do not.
struct refused_yaml : YAML::RepresentationException {
  using YAML::RepresentationException::RepresentationException;
};

bool one_of(const std::string& text, const std::set<std::string>& words) {
  return words.count(text) != 0;
}

std::optional<bool> parse_yaml_bool(const std::string& text) {
  if (one_of(text,
             {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"}))
    return true;
  if (one_of(text, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off",
                    "OFF"}))
    return false;
  return std::nullopt;
}

/// Digits of `base` only (and underscores between them), as a number.
std::optional<std::uint64_t> digits(const std::string& text, unsigned base) {
  std::uint64_t n = 0;
  bool any = false;
  for (char c : text) {
    if (c == '_' && any)
      continue;
    unsigned d = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                 : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10)
                 : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A' + 10)
                                        : 99u;
    if (d >= base || n > (std::numeric_limits<std::uint64_t>::max() - d) / base)
      return std::nullopt;
    n = n * base + d;
    any = true;
  }
  return any ? std::optional{n} : std::nullopt;
}

std::optional<json> parse_yaml_integer(std::string text) {
  bool negative = text[0] == '-';
  if (negative || text[0] == '+')
    text.erase(0, 1);
  auto starts = [&](const char* with) { return text.rfind(with, 0) == 0; };
  std::optional<std::uint64_t> n;
  if (starts("0x") || starts("0X"))
    n = digits(text.substr(2), 16);
  else if (starts("0o"))
    n = digits(text.substr(2), 8);
  else if (starts("0b"))
    n = digits(text.substr(2), 2);
  else if (text.size() > 1 && text[0] == '0')
    n = digits(text.substr(1), 8);
  else
    n = digits(text, 10);
  if (!n)
    return std::nullopt;
  constexpr auto most =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!negative)
    return *n <= most ? json(static_cast<std::int64_t>(*n)) : json(*n);
  if (*n > most)
    return std::nullopt;
  return json(-static_cast<std::int64_t>(*n));
}

/// [-+]? ( . digits | digits [. digits*] ) ( [eE] [-+]? digits )?
bool is_yaml_float(const std::string& text) {
  std::size_t i = text[0] == '-' || text[0] == '+' ? 1 : 0;
  auto run = [&] {
    auto from = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9')
      ++i;
    return i - from;
  };
  auto before = run();
  std::size_t after = 0;
  if (i < text.size() && text[i] == '.') {
    ++i;
    after = run();
  }
  if (before + after == 0)
    return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+'))
      ++i;
    if (run() == 0)
      return false;
  }
  return i == text.size();
}

class yaml_converter {
public:
  json convert(const YAML::Node& n, int depth = 0) {
    if (++nodes_ > most_nodes || depth > most_depth)
      throw refused_yaml{n.Mark(),
                         "is nested too deeply, or its anchors repeat "
                         "too much"};
    switch (n.Type()) {
    case YAML::NodeType::Scalar:
      if (!is_utf8(n.Scalar()))
        throw refused_yaml{n.Mark(), "has a value that is not UTF-8"};
      return yaml_scalar(n.Scalar(), n.Tag());
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
        throw refused_yaml{entry.first.Mark(),
                           "has a key that is no plain word"};
      auto key = entry.first.Scalar();
      if (!is_utf8(key))
        throw refused_yaml{entry.first.Mark(), "has a key that is not UTF-8"};
      auto value = convert(entry.second, depth + 1);
      if (key == "<<" && entry.first.Tag() == "?") {
        if (value.is_array())
          for (auto& one : value)
            merged.push_back(std::move(one));
        else
          merged.push_back(std::move(value));
      } else if (!out.emplace(key, std::move(value)).second) {
        throw refused_yaml{entry.first.Mark(), "has the key " + key + " twice"};
      }
    }
    // What the mapping says itself goes before what it merges in.
    for (const auto& other : merged) {
      if (!other.is_object())
        throw refused_yaml{n.Mark(), "merges (<<) what is no mapping"};
      for (const auto& [key, value] : other.items())
        out.emplace(key, value);
    }
    return out;
  }

  std::size_t nodes_ = 0;
};

/// Throws when a document begins where the one before it began: at some input
/// (", a: b") the library's parser reads nothing and still finds a document,
/// without end.
class empty_document_check : public YAML::EventHandler {
public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (mark.pos == last_start_)
      throw YAML::ParserException{mark, "no value can begin here"};
    last_start_ = mark.pos;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

private:
  int last_start_ = -1;
};

/// The value, if the text is JSON: not all of that is YAML to the library (a
/// key and its colon may be on two lines). nullopt also where the YAML reader
/// is the one to complain: about keys that repeat, or too deep a nesting.
std::optional<json> parse_json_object(const std::string& text) {
  auto first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos || text[first] != '{')
    return std::nullopt;
  std::vector<std::set<std::string>> keys;
  bool refused = false;
  auto note = [&](int depth, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == json::parse_event_t::key)
      refused |= !keys.back().insert(value.get<std::string>()).second;
    refused |= depth > most_depth;
    return true;
  };
  auto value = json::parse(text, note, false);
  if (refused || value.is_discarded())
    return std::nullopt;
  return value;
}

/// The library does not know CR alone as the end of a line.
std::string with_known_line_ends(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\r' && text.compare(i, 2, "\r\n") != 0)
      text[i] = '\n';
  return text;
}

std::vector<YAML::Node> load_all(const std::string& given) {
  auto text = with_known_line_ends(given);
  std::istringstream stream{text};
  YAML::Parser parser{stream};
  for (empty_document_check check; parser.HandleNextDocument(check);) {
  }
  return YAML::LoadAll(text);
}

} // namespace

json yaml_scalar(const std::string& text, const std::string& tag) {
  constexpr const char* core = "tag:yaml.org,2002:";
  bool plain = tag == "?" || tag.empty();
  bool number =
      tag == std::string(core) + "int" || tag == std::string(core) + "float";
  if (!plain && !number && tag != std::string(core) + "bool"
      && tag != std::string(core) + "null")
    return text;
  if (text.empty() || one_of(text, {"~", "null", "Null", "NULL"}))
    return nullptr;
  if (auto t = parse_yaml_bool(text))
    return *t;
  if (auto n = parse_yaml_integer(text))
    return *n;
  if (is_yaml_float(text))
    if (auto x = std::strtod(text.c_str(), nullptr); std::isfinite(x))
      return x;
  return text;
}

json json_of(const YAML::Node& node) {
  return yaml_converter{}.convert(node);
}

result<std::vector<yaml_document>> parse_yaml(const std::string& text,
                                              const std::string& source) {
  auto line_of = [&](const YAML::Mark& mark) {
    return source + ":" + std::to_string(mark.line + 1);
  };
  if (auto object = parse_json_object(text)) {
    auto before = text.substr(0, text.find('{'));
    auto line = 1 + std::count(before.begin(), before.end(), '\n');
    return std::vector<yaml_document>{
        {std::move(*object), source + ":" + std::to_string(line)}};
  }
  try {
    std::vector<yaml_document> all;
    for (const auto& root : load_all(text))
      if (root.IsDefined() && !root.IsNull())
        all.push_back({json_of(root), line_of(root.Mark())});
    return all;
  } catch (const refused_yaml& e) {
    return failure{ec::invalid, line_of(e.mark) + ": " + e.msg};
  } catch (const YAML::Exception& e) {
    return failure{ec::invalid, line_of(e.mark) + ": not YAML: " + e.msg};
  }
}

} // namespace troupe::k8s
