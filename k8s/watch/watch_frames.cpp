#include "k8s/watch/watch_frames.hpp"

#include <algorithm>

namespace troupe::k8s {

namespace {

constexpr std::size_t head = 4;

std::size_t big_endian_length(std::string_view frame) {
  std::size_t length = 0;
  for (char c : frame.substr(0, head))
    length = length << 8 | static_cast<unsigned char>(c);
  return length;
}

} // namespace

bool watch_frames::feed(std::string_view chunk,
                        const std::function<void(std::string_view)>& frame) {
  // What was begun goes on in the carry, just as far as it goes.
  auto carry_up_to = [&](std::size_t size) {
    auto more = std::min(size - carry_.size(), chunk.size());
    carry_.append(chunk.substr(0, more));
    chunk.remove_prefix(more);
    return carry_.size() == size;
  };
  while (!chunk.empty()) {
    if (!carry_.empty()) {
      if (carry_.size() < head && !carry_up_to(head))
        return true;
      auto length = big_endian_length(carry_);
      if (length > limit_)
        return false;
      if (!carry_up_to(head + length))
        return true;
      frame(std::string_view{carry_}.substr(head));
      carry_.clear();
      continue;
    }
    if (chunk.size() < head) {
      carry_.assign(chunk);
      return true;
    }
    auto length = big_endian_length(chunk);
    if (length > limit_)
      return false;
    if (chunk.size() < head + length) {
      carry_.assign(chunk);
      return true;
    }
    frame(chunk.substr(head, length));
    chunk.remove_prefix(head + length);
  }
  return true;
}

} // namespace troupe::k8s
