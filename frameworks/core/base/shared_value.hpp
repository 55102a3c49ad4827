#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <utility>

namespace troupe::core {

/// A T that does not change and that copies share, also those of other threads.
/// It is T{} before it is set, and takes no more than a pointer then. For
/// values that only a few of many objects have.
template <class T>
class shared_value {
public:
  shared_value() = default;
  shared_value(T value)
      : counted_(new counted(std::move(value))) {}

  const T& operator*() const {
    static const T none{};
    return counted_ ? counted_->value : none;
  }
  const T* operator->() const { return &**this; }

  friend bool operator==(const shared_value& a, const shared_value& b) {
    return a.counted_ == b.counted_ || *a == *b;
  }
  friend bool operator==(const shared_value& a, const T& b) { return *a == b; }
  friend bool operator!=(const shared_value& a, const T& b) {
    return !(a == b);
  }
  friend bool operator!=(const shared_value& a, const shared_value& b) {
    return !(a == b);
  }

private:
  struct counted : boost::intrusive_ref_counter<counted> {
    explicit counted(T v)
        : value(std::move(v)) {}
    T value;
  };

  boost::intrusive_ptr<const counted> counted_;
};

} // namespace troupe::core
