#include "k8s/codec/yaml.hpp"

#include "k8s/text.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

namespace troupe::k8s {

namespace {

/// Of which lines are remembered: more than a job has that a person writes.
constexpr std::size_t most_field_lines = 10'000;

/// YAML that the library reads and we do not.
struct refused_yaml : YAML::RepresentationException {
  using YAML::RepresentationException::RepresentationException;
};

/// Builds the JSON value of each document from the parser's events.
class json_builder : public YAML::EventHandler {
public:
  struct document {
    json value;
    YAML::Mark mark;
    std::map<std::string, int> field_lines;
  };

  explicit json_builder(yaml_limits limits)
      : limits_{limits} {}

  /// The document that has ended last, unless it was empty.
  std::optional<document> take_document() {
    return std::exchange(document_, std::nullopt);
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    // At some input (", a: b") the library's parser reads nothing and still
    // finds a document, without end.
    if (mark.pos == last_start_)
      throw YAML::ParserException{mark, "no value can begin here"};
    last_start_ = mark.pos;
    open_.clear();
    anchored_.clear();
    field_lines_.clear();
    nodes_ = 0;
  }

  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (expects_key())
      throw_invalid_key(mark);
    record_field_line(mark);
    add_node({nullptr, std::nullopt}, mark, anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag,
                YAML::anchor_t anchor, const std::string& text) override {
    if (!is_utf8(text))
      throw refused_yaml{mark, expects_key() ? "has a key that is not UTF-8"
                                             : "has a value that is not UTF-8"};
    add_node({parse_yaml_scalar(text, tag), scalar_source{text, tag}}, mark,
             anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto found = anchored_.find(anchor);
    if (found == anchored_.end())
      throw refused_yaml{mark, "refers to a value that contains it"};
    count_and_limit_nodes(found->second.value, open_.size(), mark);
    record_field_line(mark);
    add_node(found->second, mark, 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin_collection(json::array(), mark, anchor);
  }

  void OnMapStart(const YAML::Mark& mark, const std::string&,
                  YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    begin_collection(json::object(), mark, anchor);
  }

  void OnSequenceEnd() override { end_collection(); }

  void OnMapEnd() override {
    auto& map = open_.back();
    // What the mapping says itself goes before what it merges in.
    for (const auto& other : map.merged) {
      if (!other.is_object())
        throw refused_yaml{map.mark, "merges (<<) what is no mapping"};
      for (const auto& [key, value] : other.items())
        map.value.emplace(key, value);
    }
    end_collection();
  }

private:
  /// A scalar as it was written: a key is not converted.
  struct scalar_source {
    std::string text;
    std::string tag;
  };

  struct node {
    json value;
    std::optional<scalar_source> scalar;
  };

  /// A sequence or mapping whose end has not come.
  struct collection {
    json value;
    YAML::Mark mark;
    YAML::anchor_t anchor;
    std::string path;                      ///< "spec.containers[0]".
    std::optional<scalar_source> key = {}; ///< Of the next value of a mapping.
    std::vector<json> merged = {};         ///< The values of the key <<.
  };

  bool expects_key() const {
    return !open_.empty() && open_.back().value.is_object()
           && !open_.back().key;
  }

  [[noreturn]] static void throw_invalid_key(const YAML::Mark& mark) {
    throw refused_yaml{mark, "has a key that is no plain word"};
  }

  void begin_collection(json empty, const YAML::Mark& mark,
                        YAML::anchor_t anchor) {
    if (expects_key())
      throw_invalid_key(mark);
    count_and_limit_nodes(nullptr, open_.size(), mark);
    record_field_line(mark);
    auto path = path_of_next_value();
    open_.push_back({std::move(empty), mark, anchor, std::move(path)});
  }

  void end_collection() {
    auto done = std::move(open_.back());
    open_.pop_back();
    add_node({std::move(done.value), std::nullopt}, done.mark, done.anchor);
  }

  void add_node(node n, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (n.scalar) {
      count_and_limit_nodes(nullptr, open_.size(), mark);
      record_field_line(mark);
    }
    if (anchor != 0)
      anchored_[anchor] = n;
    if (open_.empty()) {
      if (!n.value.is_null())
        document_ = document{std::move(n.value), mark, std::move(field_lines_)};
    } else if (open_.back().value.is_array()) {
      open_.back().value.push_back(std::move(n.value));
    } else if (expects_key()) {
      set_key_or_refuse(std::move(n.scalar), mark);
    } else {
      add_member(std::move(n.value));
    }
  }

  void set_key_or_refuse(std::optional<scalar_source> key,
                         const YAML::Mark& mark) {
    auto& map = open_.back();
    if (!key)
      throw_invalid_key(mark);
    if (!is_merge_key(*key) && map.value.contains(key->text))
      throw refused_yaml{mark, "has the key " + key->text + " twice"};
    map.key = std::move(key);
  }

  /// Of the mapping that is open, under its key; what a merge key names is
  /// merged at the end.
  void add_member(json value) {
    auto& map = open_.back();
    auto key = *std::exchange(map.key, std::nullopt);
    if (!is_merge_key(key))
      map.value.emplace(std::move(key.text), std::move(value));
    else if (value.is_array())
      for (auto& one : value)
        map.merged.push_back(std::move(one));
    else
      map.merged.push_back(std::move(value));
  }

  /// Of the value that comes next.
  std::string path_of_next_value() const {
    if (open_.empty())
      return {};
    const auto& in = open_.back();
    if (in.value.is_array())
      return in.path + "[" + std::to_string(in.value.size()) + "]";
    return in.path + (in.path.empty() ? "" : ".") + in.key->text;
  }

  /// A key's line is noted with its value, which may begin on a later one.
  void record_field_line(const YAML::Mark& mark) {
    if (open_.empty() || field_lines_.size() >= most_field_lines)
      return;
    if (expects_key())
      key_line_ = mark.line + 1;
    else
      field_lines_.emplace(path_of_next_value(), open_.back().value.is_array()
                                                     ? mark.line + 1
                                                     : key_line_);
  }

  static bool is_merge_key(const scalar_source& key) {
    return key.text == "<<" && key.tag == "?";
  }

  void count_and_limit_nodes(const json& value, std::size_t depth,
                             const YAML::Mark& mark) {
    if (++nodes_ > limits_.nodes || depth > limits_.depth)
      throw refused_yaml{mark, "is nested too deeply, or its anchors repeat "
                               "too much"};
    if (value.is_structured())
      for (const auto& one : value)
        count_and_limit_nodes(one, depth + 1, mark);
  }

  yaml_limits limits_;
  std::vector<collection> open_; ///< From the outside to the inside.
  std::map<YAML::anchor_t, node> anchored_;
  std::map<std::string, int> field_lines_;
  int key_line_ = 0;
  std::optional<document> document_;
  std::size_t nodes_ = 0;
  int last_start_ = -1;
};

/// The value, if the text is JSON: not all of that is YAML to the library (a
/// key and its colon may be on two lines). nullopt also where the YAML reader
/// is the one to complain: about keys that repeat, or too deep a nesting.
std::optional<json>
parse_json_object_without_repeated_keys(const std::string& text,
                                        const yaml_limits& limits) {
  auto first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos || text[first] != '{')
    return std::nullopt;
  std::vector<std::set<std::string>> keys;
  bool refused = false;
  std::size_t nodes = 0;
  auto note = [&](int depth, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == json::parse_event_t::key)
      refused |= !keys.back().insert(value.get<std::string>()).second;
    refused |= static_cast<std::size_t>(std::max(depth, 0)) > limits.depth;
    bool is_end = event == json::parse_event_t::object_end
                  || event == json::parse_event_t::array_end;
    refused |= !is_end && ++nodes > limits.nodes;
    return true;
  };
  auto value = json::parse(text, note, false);
  if (refused || value.is_discarded())
    return std::nullopt;
  return value;
}

/// The library does not know CR alone as the end of a line.
std::string with_lone_cr_as_newline(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\r' && text.compare(i, 2, "\r\n") != 0)
      text[i] = '\n';
  return text;
}

} // namespace

result<std::vector<yaml_document>> parse_yaml(const std::string& text,
                                              const std::string& source,
                                              yaml_limits limits) {
  auto line_of = [&](const YAML::Mark& mark) {
    return source + ":" + std::to_string(mark.line + 1);
  };
  if (auto object = parse_json_object_without_repeated_keys(text, limits)) {
    auto before = text.substr(0, text.find('{'));
    auto line = 1 + std::count(before.begin(), before.end(), '\n');
    return std::vector<yaml_document>{
        {std::move(*object), source + ":" + std::to_string(line)}};
  }
  try {
    std::vector<yaml_document> all;
    std::istringstream stream{with_lone_cr_as_newline(text)};
    YAML::Parser parser{stream};
    for (json_builder builder{limits}; parser.HandleNextDocument(builder);)
      if (auto document = builder.take_document())
        all.push_back({std::move(document->value), line_of(document->mark),
                       std::move(document->field_lines)});
    return all;
  } catch (const refused_yaml& e) {
    return failure{ec::invalid, line_of(e.mark) + ": " + e.msg};
  } catch (const YAML::Exception& e) {
    if (text.find('\0') != text.npos)
      return failure{ec::invalid, source + ": is a binary file, not YAML"};
    return failure{ec::invalid, line_of(e.mark) + ": not YAML: " + e.msg};
  }
}

std::string nearest_known_location_of_field(const yaml_document& d,
                                            std::string path) {
  auto line = d.field_lines.find(path);
  while (line == d.field_lines.end() && !path.empty()) {
    auto end = path.find_last_of(".[");
    path.erase(end == path.npos ? 0 : end);
    line = d.field_lines.find(path);
  }
  if (line == d.field_lines.end())
    return d.where;
  return d.where.substr(0, d.where.rfind(':') + 1)
         + std::to_string(line->second);
}

yaml_document subdocument_of_field(const yaml_document& d,
                                   const std::string& path, json value) {
  yaml_document part{std::move(value),
                     nearest_known_location_of_field(d, path)};
  const auto prefix = path + ".";
  for (auto i = d.field_lines.lower_bound(prefix);
       i != d.field_lines.end()
       && i->first.compare(0, prefix.size(), prefix) == 0;
       ++i)
    part.field_lines.emplace(i->first.substr(prefix.size()), i->second);
  return part;
}

} // namespace troupe::k8s
