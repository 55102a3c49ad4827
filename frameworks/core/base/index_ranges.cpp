#include "frameworks/core/base/index_ranges.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::core {

namespace {

constexpr std::size_t most_ranges = 10'000;

std::optional<std::int32_t> parse_index(std::string_view text) {
  std::int32_t value = 0;
  const auto* end = text.data() + text.size();
  auto [stopped, error] = std::from_chars(text.data(), end, value);
  bool whole = error == std::errc{} && stopped == end && value >= 0;
  return whole ? std::optional{value} : std::nullopt;
}

} // namespace

void index_ranges::insert(std::int32_t index) {
  if (index < 0)
    return;
  auto next = std::lower_bound(
      ranges_.begin(), ranges_.end(), index,
      [](const range& r, std::int32_t i) { return r.last < i; });
  if (next != ranges_.end() && next->first <= index)
    return;
  bool joins_next = next != ranges_.end() && next->first - 1 == index;
  auto before = next == ranges_.begin() ? ranges_.end() : next - 1;
  bool joins_before = before != ranges_.end() && before->last + 1 == index;
  if (joins_before && joins_next) {
    before->last = next->last;
    ranges_.erase(next);
  } else if (joins_before) {
    before->last = index;
  } else if (joins_next) {
    next->first = index;
  } else {
    ranges_.insert(next, {index, index});
  }
}

bool index_ranges::contains(std::int32_t index) const {
  auto at = std::lower_bound(
      ranges_.begin(), ranges_.end(), index,
      [](const range& r, std::int32_t i) { return r.last < i; });
  return at != ranges_.end() && at->first <= index;
}

std::int32_t index_ranges::count_below(std::int32_t end) const {
  std::int32_t count = 0;
  for (const auto& r : ranges_)
    if (r.first < end)
      count += std::min(r.last, end - 1) - r.first + 1;
  return count;
}

std::string index_ranges::text() const {
  std::string out;
  for (const auto& r : ranges_) {
    out += (out.empty() ? "" : ",") + std::to_string(r.first);
    if (r.last > r.first)
      out += "-" + std::to_string(r.last);
  }
  return out;
}

std::optional<index_ranges> index_ranges::parse(std::string_view text) {
  index_ranges result;
  while (!text.empty()) {
    auto comma = text.find(',');
    auto one = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view{}
                                           : text.substr(comma + 1);
    if (comma != std::string_view::npos && text.empty())
      return std::nullopt;
    auto dash = one.find('-');
    auto first = parse_index(one.substr(0, dash));
    auto last = dash == std::string_view::npos
                    ? first
                    : parse_index(one.substr(dash + 1));
    bool follows =
        first && last && *first <= *last
        && (result.ranges_.empty() || *first > result.ranges_.back().last);
    if (!follows || result.ranges_.size() == most_ranges)
      return std::nullopt;
    if (!result.ranges_.empty() && result.ranges_.back().last + 1 == *first)
      result.ranges_.back().last = *last;
    else
      result.ranges_.push_back({*first, *last});
  }
  return result;
}

bool operator==(const index_ranges& a, const index_ranges& b) {
  return std::equal(a.ranges_.begin(), a.ranges_.end(), b.ranges_.begin(),
                    b.ranges_.end(), [](const auto& x, const auto& y) {
                      return x.first == y.first && x.last == y.last;
                    });
}

} // namespace troupe::core
