#pragma once

#include "k8s/rest/credentials.hpp"
#include "k8s/rest/timer_thread.hpp"

#include <memory>
#include <mutex>

namespace troupe::k8s::rest {

/// A login with a number, by which a refusal names it.
struct issued_credential {
  credential value;
  std::uint64_t number = 0;
};

using credential_ptr = std::shared_ptr<const issued_credential>;

/// Keeps the login in use. Reads it again, on the thread of `slow`, when its
/// life is over or the server refused it. Thread-safe.
class credential_cache {
public:
  /// `slow` must outlive what was asked; the cache must outlive `slow`'s tasks.
  credential_cache(std::function<result<credential>()> source,
                   timer_thread& slow)
      : source_(std::move(source))
      , slow_(slow) {}

  using handler = std::function<void(const result<credential_ptr>&)>;

  /// Calls `next` once: at once with a login that is still good, else later,
  /// after it has been read again, from the thread of `slow`.
  void get_or_load_credential(handler next);

  /// The server does not know this login (401). It is read again, but no
  /// more often than every ten seconds: the new one may be no better.
  void invalidate_if_current(std::uint64_t credential_number);

private:
  /// The login if it is still good, or a refusal that is still fresh.
  std::optional<result<credential_ptr>> find_cached_credential();
  result<credential_ptr> load_and_cache_credential();

  std::function<result<credential>()> source_;
  timer_thread& slow_;
  std::mutex mutex_;
  std::optional<result<credential_ptr>> known_;
  timer_thread::clock::time_point good_until_{};
  timer_thread::clock::time_point next_invalidation_{};
  std::uint64_t last_ = 0;
};

} // namespace troupe::k8s::rest
