#pragma once

#include "k8s/rest/credentials/credentials.hpp"
#include "k8s/rest/credentials/timer_thread.hpp"

#include <memory>
#include <mutex>
#include <optional>

namespace troupe::k8s::rest {

/// A login with a number, which a refusal names, and the authorities of the
/// server.
struct issued_credential {
  credential value;
  std::uint64_t number = 0;
  std::string authorities_pem; ///< "" means the system's.
};

using credential_ptr = std::shared_ptr<const issued_credential>;

/// Keeps the login in use and the authorities. On the thread of `slow` it reads
/// the login again when its life is over or the server refused it, and the
/// authorities every minute if they are in a file. If that fails, it keeps the
/// authorities, and the login as long as that is valid. Thread-safe.
class credential_cache {
public:
  /// The cache must outlive the tasks that it gives to `slow`.
  credential_cache(const client_config& config, timer_thread& slow);

  using handler = std::function<void(const result<credential_ptr>&)>;

  /// Calls `next` once. If the login is still good, or its time to be read
  /// again has come only lately, `next` is called at once; otherwise on the
  /// thread of `slow`, after the login was read.
  void get_or_load_credential(handler next);

  /// The server refused this login (401). It is read again, but at most every
  /// ten seconds, since the new one may be no better. Does nothing if the login
  /// is not the current one or has no end of life.
  void invalidate_if_current_and_due(std::uint64_t credential_number);

private:
  using clock = timer_thread::clock;

  /// The login, if it and the authorities need not be read again; or the
  /// failure to read it, if that is still fresh.
  std::optional<result<credential_ptr>> find_fresh_login_or_failure();
  /// The same; or a valid login whose time to be read again has come lately,
  /// and then starts to read it again.
  std::optional<result<credential_ptr>> find_usable_login_and_refresh();
  result<credential_ptr> load_and_cache_credential();
  /// The next three need the mutex to be locked.
  bool has_login() const { return known_ && *known_; }
  bool is_login_good(clock::time_point now) const;
  void set_login_times(const credential& login, clock::time_point now);
  std::string read_authorities_or_keep(const std::string& known) const;

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
