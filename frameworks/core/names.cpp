#include "frameworks/core/names.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::core {

namespace {

/// Names of jobs created by other tools may be paths.
std::string replace_slashes(std::string name) {
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

} // namespace

std::string child_name(const framework& f, const std::string& job,
                       const slot& at) {
  auto name = job + "-" + at.type;
  if (f.is_indexed(at.type))
    name += "-" + std::to_string(at.index);
  return replace_slashes(std::move(name));
}

std::string child_name(const job& j, const slot& at) {
  return child_name(*j.kind, j.name, at);
}

std::string job_label(const std::string& job) {
  return replace_slashes(job);
}

std::map<std::string, std::string> selector_labels(const job& j,
                                                   const slot& at) {
  std::map<std::string, std::string> labels{
      {label::operator_name, j.kind->controller},
      {label::job_name, job_label(j.name)},
      {label::replica_type, at.type}};
  if (j.kind->is_indexed(at.type))
    labels[label::replica_index] = std::to_string(at.index);
  return labels;
}

std::int32_t parse_index(const std::string& text) {
  std::int32_t index = -1;
  auto end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, index);
  if (error != std::errc{} || stop != end || index < 0
      || std::to_string(index) != text)
    return -1;
  return index;
}

std::string job_selector(const job& j) {
  return std::string{label::job_name} + "=" + job_label(j.name) + ","
         + label::operator_name + "=" + j.kind->controller;
}

std::string replica_type_selector(const job& j, const std::string& type) {
  return job_selector(j) + "," + label::replica_type + "=" + type;
}

std::string condition_reason(const framework& f, const char* suffix) {
  return f.type.kind + suffix;
}

} // namespace troupe::core
