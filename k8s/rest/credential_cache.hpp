#pragma once

#include "k8s/rest/credentials.hpp"
#include "k8s/rest/timer_thread.hpp"

#include <memory>
#include <mutex>

namespace troupe::k8s::rest {

/// A login with a number, by which a refusal names it.
struct issued_credential {
  credential what;
  std::uint64_t number = 0;
};

using credential_ptr = std::shared_ptr<const issued_credential>;

/// Keeps the login in use. Looks it up again, on the thread of `slow`, when its
/// life is over or the server refused it. Thread-safe.
class credential_cache {
public:
  /// `slow` must outlive what was asked; the cache must outlive `slow`'s tasks.
  credential_cache(std::function<result<credential>()> look, timer_thread& slow)
      : look_(std::move(look))
      , slow_(slow) {}

  using byte_handler = std::function<void(const result<credential_ptr>&)>;

  /// Calls `next` once: here and now with a good login, else later, after a
  /// look that may block, from the thread of `slow`.
  void ask(byte_handler next);

  /// The server does not know this login (401). It is looked up again, but no
  /// more often than every ten seconds: the new one may be no better.
  void refused(std::uint64_t number);

private:
  /// The login if it is still good, or a refusal that is still fresh.
  std::optional<result<credential_ptr>> at_hand();
  result<credential_ptr> look();

  std::function<result<credential>()> look_;
  timer_thread& slow_;
  std::mutex mutex_;
  std::optional<result<credential_ptr>> known_;
  timer_thread::clock::time_point good_until_{};
  timer_thread::clock::time_point next_doubt_{};
  std::uint64_t last_ = 0;
};

} // namespace troupe::k8s::rest
