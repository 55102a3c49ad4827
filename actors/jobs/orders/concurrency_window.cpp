#include "actors/jobs/orders/concurrency_window.hpp"

#include <algorithm>

namespace troupe::actors {

void concurrency_window::count_success_and_grow_if_due() {
  if (++in_a_row_ < size_)
    return;
  in_a_row_ = 0;
  size_ = std::min(size_ * 2, max_);
}

void concurrency_window::shrink_to_first_size() {
  in_a_row_ = 0;
  size_ = first_;
}

} // namespace troupe::actors
