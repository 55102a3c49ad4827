#include "k8s/rest/credentials/credential_cache.hpp"

#include "k8s/rest/credentials/pem.hpp"

#include <algorithm>
#include <utility>

namespace troupe::k8s::rest {

namespace {

constexpr std::chrono::seconds failure_life{5};
constexpr std::chrono::seconds invalidation_pause{10};
constexpr std::chrono::minutes authorities_life{1};
/// A login that nobody has asked for longer is read before it is used.
constexpr std::chrono::minutes longest_overdue{1};

} // namespace

credential_cache::credential_cache(const client_config& config,
                                   timer_thread& slow)
    : source_(config.get_credential)
    , authorities_source_(config.get_authorities)
    , first_authorities_(config.ca_pem)
    , slow_(slow) {
  // nop
}

void credential_cache::get_or_load_credential(handler next) {
  if (auto known = find_usable_login_and_refresh()) {
    next(*known);
    return;
  }
  // Many callers may wait for one lookup: its result is used for all of them.
  slow_.run_soon([this, next = std::move(next)] {
    auto known = find_fresh_login_or_failure();
    next(known ? *known : load_and_cache_credential());
  });
}

void credential_cache::invalidate_if_current_and_due(
    std::uint64_t credential_number) {
  std::lock_guard guard{mutex_};
  if (credential_number != last_ || !has_login()
      || clock::now() < next_invalidation_)
    return;
  if ((**known_)->value.life.count() == 0)
    return;
  known_.reset();
  next_invalidation_ = clock::now() + invalidation_pause;
}

bool credential_cache::is_login_good(clock::time_point now) const {
  return has_login() && now < good_until_;
}

std::optional<result<credential_ptr>>
credential_cache::find_fresh_login_or_failure() {
  std::lock_guard guard{mutex_};
  auto now = clock::now();
  if (!known_ || now >= good_until_)
    return std::nullopt;
  bool current =
      !*known_ || !authorities_source_ || now < authorities_good_until_;
  return current ? known_ : std::nullopt;
}

std::optional<result<credential_ptr>>
credential_cache::find_usable_login_and_refresh() {
  if (auto known = find_fresh_login_or_failure())
    return known;
  std::lock_guard guard{mutex_};
  auto now = clock::now();
  if (!has_login() || now >= valid_until_)
    return std::nullopt;
  auto due = good_until_;
  if (authorities_source_)
    due = std::min(due, authorities_good_until_);
  if (now >= due + longest_overdue)
    return std::nullopt;
  if (!std::exchange(is_loading_, true))
    slow_.run_soon([this] {
      if (!find_fresh_login_or_failure())
        static_cast<void>(load_and_cache_credential());
      std::lock_guard again{mutex_};
      is_loading_ = false;
    });
  return known_;
}

std::string
credential_cache::read_authorities_or_keep(const std::string& known) const {
  if (!authorities_source_)
    return known;
  auto pem = authorities_source_();
  return pem && !find_first_authority_pem_error(*pem) ? *pem : known;
}

void credential_cache::set_login_times(const credential& login,
                                       clock::time_point now) {
  good_until_ =
      login.life.count() > 0 ? now + login.life : clock::time_point::max();
  valid_until_ =
      login.valid.count() > 0 ? now + login.valid : clock::time_point::max();
}

result<credential_ptr> credential_cache::load_and_cache_credential() {
  std::unique_lock lock{mutex_};
  auto before = known_;
  bool is_login_kept = is_login_good(clock::now());
  lock.unlock();
  auto known_authorities =
      before && *before ? (**before)->authorities_pem : first_authorities_;
  auto found =
      is_login_kept ? result<credential>{(**before)->value} : source_();
  auto authorities = read_authorities_or_keep(known_authorities);
  lock.lock();
  auto now = clock::now();
  authorities_good_until_ = now + authorities_life;
  if (is_login_kept && !has_login()) { // It was refused meanwhile.
    lock.unlock();
    return load_and_cache_credential();
  }
  if (!found) {
    good_until_ = now + failure_life;
    if (has_login() && now < valid_until_)
      return *known_; // Nobody has refused it.
    // Not ec::invalid: the call is right, and may be let in later.
    known_ =
        failure{ec::unauthenticated, "cannot log in: " + found.error().message};
    return *known_;
  }
  if (!is_login_kept)
    set_login_times(*found, now);
  known_ = credential_ptr{std::make_shared<issued_credential>(
      issued_credential{std::move(*found), ++last_, std::move(authorities)})};
  return *known_;
}

} // namespace troupe::k8s::rest
