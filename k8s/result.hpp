#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace troupe::k8s {

/// What went wrong, distinguished by what the caller does next.
enum class ec : std::uint8_t {
  unreachable, ///< No connection, or it broke: try again after a delay.
  timeout,    ///< No answer in time, the call may have had its effect: re-read.
  overloaded, ///< 429 or 503: try again after `failure::retry_after`.
  conflict,   ///< 409 on a stale version or precondition: re-read, decide anew.
  exists,     ///< 409 AlreadyExists: look whose it is.
  not_found,  ///< 404: treat a deletion as done.
  expired,    ///< 410: the version to resume from is too old, list again.
  unauthenticated, ///< 401, or no login: report to the user, retry rarely.
  forbidden,       ///< 403: tell the user, try again rarely.
  /// 400 or 422: the object is invalid; report to the user, do not retry.
  invalid,
  server_error, ///< Another 5xx: try again after a delay.
  garbage,      ///< The answer could not be read: try again after a delay.
  too_large,    ///< The answer is longer than asked for: ask for less.
  cancelled,    ///< We cancelled it ourselves: nothing to do.
  bug,          ///< A broken invariant in this program: report to the user.
};

/// The name of a code, constant, for logs and metrics.
const char* to_string(ec code);

/// An error, for a caller that can act on it.
struct failure {
  ec code = ec::bug;
  std::string message; ///< For a person.
  std::optional<std::chrono::milliseconds> retry_after = std::nullopt;

  /// Whether the same call may succeed later: after a delay or, for 401 and
  /// 403, once the right is granted.
  bool is_retryable() const {
    return code == ec::unreachable || code == ec::timeout
           || code == ec::overloaded || code == ec::server_error
           || code == ec::garbage || code == ec::unauthenticated
           || code == ec::forbidden;
  }

  /// Whether it fails until a right is granted or the object is changed.
  bool is_refusal() const {
    return code == ec::forbidden || code == ec::invalid;
  }
};

/// A value, or why there is none.
template <class T, class E = failure>
class [[nodiscard]] result {
public:
  result(T value)
      : state_(std::move(value)) {}
  result(E why)
      : state_(std::move(why)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const E& error() const { return std::get<1>(state_); }

private:
  std::variant<T, E> state_;
};

/// The value of a call that returns nothing.
struct nothing {};

} // namespace troupe::k8s
