#include "frameworks/core/waiting/reason_parts.hpp"

namespace troupe::core {

waiting_reason reason_of(std::string what, const next_move& whose,
                         std::string how) {
  waiting_reason r;
  r.what = std::move(what);
  r.how = std::move(how);
  r.whose_move = whose.who;
  r.who = whose.words;
  return r;
}

std::string once_or_n_times(std::int64_t n) {
  return n == 1 ? "once" : std::to_string(n) + " times";
}

std::string pluralize(std::int64_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

} // namespace troupe::core
