#include "k8s/apiserver/controllers/job_indexes.hpp"

#include "k8s/text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace troupe::k8s::apiserver {

namespace {

std::optional<int> parse_index(const std::string& text) {
  int out = 0;
  auto end = text.data() + text.size();
  auto read = std::from_chars(text.data(), end, out);
  if (read.ec != std::errc{} || read.ptr != end || out < 0)
    return std::nullopt;
  return out;
}

} // namespace

std::set<int> parse_job_indexes(const std::string& text, int limit) {
  std::set<int> out;
  for (const auto& part : split_without_empty_parts(text, ',')) {
    auto dash = part.find('-');
    auto first = parse_index(part.substr(0, dash));
    auto last = dash == part.npos ? first : parse_index(part.substr(dash + 1));
    if (!first || !last)
      continue;
    for (int i = *first; i <= std::min(*last, limit - 1); ++i)
      out.insert(i);
  }
  return out;
}

std::string format_job_indexes(const std::set<int>& indexes) {
  std::string out;
  for (auto i = indexes.begin(); i != indexes.end();) {
    int first = *i, last = first;
    while (++i != indexes.end() && *i == last + 1)
      last = *i;
    out += (out.empty() ? "" : ",") + std::to_string(first);
    if (last > first)
      out += (last == first + 1 ? "," : "-") + std::to_string(last);
  }
  return out;
}

} // namespace troupe::k8s::apiserver
