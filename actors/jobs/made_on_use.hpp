#pragma once

#include <memory>

namespace troupe::actors {

/// A T that takes no more than a pointer until it is changed, for what only a
/// few of many actors need. Not shared.
template <class T>
class made_on_use {
public:
  const T& operator*() const {
    static const T none{};
    return made_ ? *made_ : none;
  }
  const T* operator->() const { return &**this; }

  T& change() {
    if (!made_)
      made_ = std::make_unique<T>();
    return *made_;
  }

private:
  std::unique_ptr<T> made_;
};

} // namespace troupe::actors
