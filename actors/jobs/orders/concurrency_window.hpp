#pragma once

namespace troupe::actors {

/// How many calls may be in flight: doubles when a whole window of consecutive
/// calls has succeeded, and returns to the first size after a failure. Knows
/// nothing of pods. A value.
class concurrency_window {
public:
  concurrency_window(int first, int max)
      : first_(first)
      , max_(max)
      , size_(first) {}

  int size() const { return size_; }
  void count_success_and_grow_if_due();
  void shrink_to_first_size();

private:
  int first_;
  int max_;
  int size_;
  int in_a_row_ = 0;
};

} // namespace troupe::actors
