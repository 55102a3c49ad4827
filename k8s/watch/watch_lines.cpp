#include "k8s/watch/watch_lines.hpp"

namespace troupe::k8s {

bool watch_lines::feed(std::string_view chunk,
                       const std::function<void(std::string_view)>& line) {
  while (!chunk.empty()) {
    auto end = chunk.find('\n');
    bool whole = end != std::string_view::npos;
    auto piece = chunk.substr(0, whole ? end : chunk.size());
    if (carry_.size() + piece.size() > limit_)
      return false;
    if (!whole) {
      carry_.append(piece);
      return true;
    }
    if (carry_.empty()) {
      line(piece);
    } else {
      carry_.append(piece);
      line(carry_);
      carry_.clear();
    }
    chunk.remove_prefix(end + 1);
  }
  return true;
}

} // namespace troupe::k8s
