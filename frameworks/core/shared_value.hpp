#pragma once

#include <memory>
#include <utility>

namespace troupe::core {

/// A T that does not change and that copies share. It is T{} before it is set,
/// and takes no memory then: for what few of many objects have.
template <class T>
class shared_value {
public:
  shared_value() = default;
  shared_value(T value)
      : value_(std::make_shared<const T>(std::move(value))) {}

  const T& operator*() const {
    static const T none{};
    return value_ ? *value_ : none;
  }
  const T* operator->() const { return &**this; }

  friend bool operator==(const shared_value& a, const shared_value& b) {
    return a.value_ == b.value_ || *a == *b;
  }
  friend bool operator==(const shared_value& a, const T& b) { return *a == b; }
  friend bool operator!=(const shared_value& a, const T& b) {
    return !(a == b);
  }
  friend bool operator!=(const shared_value& a, const shared_value& b) {
    return !(a == b);
  }

private:
  std::shared_ptr<const T> value_;
};

} // namespace troupe::core
