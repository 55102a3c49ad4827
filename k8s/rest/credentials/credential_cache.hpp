#pragma once

#include "k8s/rest/credentials/credentials.hpp"
#include "k8s/rest/credentials/timer_thread.hpp"

#include <memory>
#include <mutex>
#include <optional>

namespace troupe::k8s::rest {

/// A login with a number, by which a refusal names it, and whom it is shown to.
struct issued_credential {
  credential value;
  std::uint64_t number = 0;
  std::string authorities_pem; ///< Of the server; "" means the system's.
};

using credential_ptr = std::shared_ptr<const issued_credential>;

/// Keeps the login in use, and the authorities. Reads them again, on the thread
/// of `slow`, when the login's life is over or the server refused it, and the
/// authorities every minute if they are in a file. What cannot be read stays as
/// it was, a login as long as it is valid. Thread-safe.
class credential_cache {
public:
  /// `slow` must outlive what was asked; the cache must outlive `slow`'s tasks.
  credential_cache(const client_config& config, timer_thread& slow);

  using handler = std::function<void(const result<credential_ptr>&)>;

  /// Calls `next` once: at once with a login that is still good, or that is
  /// about to be read again, else later, after it has been read, from the
  /// thread of `slow`.
  void get_or_load_credential(handler next);

  /// The server does not know this login (401). It is read again, but no
  /// more often than every ten seconds: the new one may be no better.
  void invalidate_if_current(std::uint64_t credential_number);

private:
  using clock = timer_thread::clock;

  /// What may be used now: all that is known is still good, or a refusal is
  /// still fresh.
  std::optional<result<credential_ptr>> find_cached_credential();
  /// The same, or a login whose time to be read again has come lately, which
  /// begins.
  std::optional<result<credential_ptr>> find_usable_credential();
  result<credential_ptr> load_and_cache_credential();
  /// With the mutex locked.
  bool has_login() const { return known_ && *known_; }
  bool is_login_good(clock::time_point now) const;
  void set_login_times(const credential& login, clock::time_point now);
  std::string read_authorities(const std::string& known) const;

  std::function<result<credential>()> source_;
  std::function<result<std::string>()> authorities_source_; ///< May be null.
  const std::string first_authorities_;
  timer_thread& slow_;

  std::mutex mutex_;
  std::optional<result<credential_ptr>> known_;
  clock::time_point good_until_{};             ///< The login, or the failure.
  clock::time_point valid_until_{};            ///< The login.
  clock::time_point authorities_good_until_{}; ///< Whatever the login is.
  clock::time_point next_invalidation_{};
  bool is_loading_ = false;
  std::uint64_t last_ = 0;
};

} // namespace troupe::k8s::rest
