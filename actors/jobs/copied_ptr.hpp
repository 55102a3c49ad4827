#pragma once

#include <memory>
#include <utility>

namespace troupe::actors {

/// A T that is seldom there, in a pointer. A copy has a T of its own, so what
/// has it is a value.
template <class T>
class copied_ptr {
public:
  copied_ptr() = default;
  explicit copied_ptr(T value)
      : value_(std::make_unique<T>(std::move(value))) {}
  copied_ptr(const copied_ptr& other)
      : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  copied_ptr(copied_ptr&&) noexcept = default;
  copied_ptr& operator=(copied_ptr other) noexcept {
    value_.swap(other.value_);
    return *this;
  }
  ~copied_ptr() = default;

  T* get() const { return value_.get(); }
  T* operator->() const { return get(); }
  T& operator*() const { return *value_; }
  explicit operator bool() const { return value_ != nullptr; }

private:
  std::unique_ptr<T> value_;
};

} // namespace troupe::actors
