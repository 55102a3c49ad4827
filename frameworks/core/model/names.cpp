#include "frameworks/core/model/names.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::core {

namespace {

/// Names of jobs created by other tools may be paths.
std::string replace_slashes(std::string name) {
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

constexpr std::string_view suffix_letters = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::size_t suffix_length = 5;

} // namespace

std::string letter_suffix_of_index(std::int32_t index) {
  std::string text(suffix_length, suffix_letters.front());
  index = std::max(index, 0);
  constexpr auto base = static_cast<std::int32_t>(suffix_letters.size());
  for (auto i = text.rbegin(); i != text.rend(); ++i, index /= base)
    *i = suffix_letters[static_cast<std::size_t>(index % base)];
  return text;
}

std::int32_t index_from_letter_suffix(std::string_view suffix) {
  if (suffix.size() != suffix_length)
    return -1;
  std::int32_t index = 0;
  for (char c : suffix) {
    auto digit = suffix_letters.find(c);
    if (digit == std::string_view::npos)
      return -1;
    index = index * static_cast<std::int32_t>(suffix_letters.size())
            + static_cast<std::int32_t>(digit);
  }
  return index;
}

std::int32_t index_from_random_name(std::string_view name) {
  auto dash = name.rfind('-');
  return dash == std::string_view::npos
             ? -1
             : index_from_letter_suffix(name.substr(dash + 1));
}

std::int32_t index_from_numbered_name(std::string_view name) {
  auto dash = name.rfind('-');
  return dash == std::string_view::npos
             ? -1
             : parse_index_label(std::string{name.substr(dash + 1)});
}

std::string child_name(const framework& f, const std::string& job,
                       const slot& at) {
  auto name = job + "-" + at.type;
  if (f.is_indexed_or_unknown_type(at.type))
    name += "-"
            + (f.names.random_names ? letter_suffix_of_index(at.index)
                                    : std::to_string(at.index));
  return replace_slashes(std::move(name));
}

std::string child_name(const job& j, const slot& at) {
  return child_name(*j.kind, j.name, at);
}

std::string child_name(const job& j, const create_child& wanted) {
  return wanted.name.empty() ? child_name(j, wanted.at) : wanted.name;
}

std::string job_name_label_value(const std::string& job) {
  return replace_slashes(job);
}

std::map<std::string, std::string> selector_labels(const job& j,
                                                   const slot& at) {
  const auto& keys = j.kind->names.labels;
  std::map<std::string, std::string> labels{
      {keys.controller, j.kind->names.controller},
      {keys.job_name, job_name_label_value(j.name)},
      {keys.replica_type, at.type}};
  if (*keys.group != '\0')
    labels[keys.group] = keys.group_value;
  if (*keys.replica_index != '\0'
      && j.kind->is_indexed_or_unknown_type(at.type))
    labels[keys.replica_index] = std::to_string(at.index);
  if (*keys.pod_name != '\0')
    labels[keys.pod_name] = child_name(j, at);
  return labels;
}

std::int32_t parse_index_label(const std::string& text) {
  std::int32_t index = -1;
  auto end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, index);
  if (error != std::errc{} || stop != end || index < 0
      || std::to_string(index) != text)
    return -1;
  return index;
}

std::string children_selector_of_job(const job& j) {
  const auto& keys = j.kind->names.labels;
  auto result = std::string{keys.job_name} + "=" + job_name_label_value(j.name)
                + "," + keys.controller + "=" + j.kind->names.controller;
  if (*keys.group != '\0')
    result += std::string{","} + keys.group + "=" + keys.group_value;
  return result;
}

std::string children_selector(const std::vector<const framework*>& kinds,
                              const label_keys& keys) {
  std::string names;
  for (const auto* kind : kinds)
    names += (names.empty() ? "" : ",") + std::string{kind->names.controller};
  auto result = keys.controller + (names.empty() ? "" : " in (" + names + ")");
  if (*keys.group != '\0')
    result += std::string{","} + keys.group + "=" + keys.group_value;
  return result;
}

bool have_same_selector(const label_keys& a, const label_keys& b) {
  return std::string_view{a.controller} == b.controller
         && std::string_view{a.group} == b.group
         && std::string_view{a.group_value} == b.group_value;
}

std::string replica_type_selector(const job& j, const std::string& type) {
  return children_selector_of_job(j) + "," + j.kind->names.labels.replica_type
         + "=" + type;
}

std::string kind_prefixed_reason(const framework& f, const char* suffix) {
  return f.names.type.kind + suffix;
}

} // namespace troupe::core
