#include "frameworks/core/slow_start.hpp"

#include <algorithm>

namespace troupe::core {

void slow_start::succeeded() {
  if (++in_a_row_ < size_)
    return;
  in_a_row_ = 0;
  size_ = std::min(size_ * 2, most_);
}

void slow_start::failed() {
  in_a_row_ = 0;
  size_ = first_;
}

} // namespace troupe::core
