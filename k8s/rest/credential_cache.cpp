#include "k8s/rest/credential_cache.hpp"

namespace troupe::k8s::rest {

namespace {

using clock = timer_thread::clock;

constexpr std::chrono::seconds failure_life{5};
constexpr std::chrono::seconds invalidation_pause{10};

} // namespace

void credential_cache::get_or_load_credential(handler next) {
  if (auto known = find_cached_credential()) {
    next(*known);
    return;
  }
  // Many callers may wait for one lookup: its result is used for all of them.
  slow_.run_soon([this, next = std::move(next)] {
    auto known = find_cached_credential();
    next(known ? *known : load_and_cache_credential());
  });
}

void credential_cache::invalidate_if_current(std::uint64_t credential_number) {
  std::lock_guard guard{mutex_};
  if (credential_number != last_ || !known_ || !*known_
      || clock::now() < next_invalidation_)
    return;
  if ((**known_)->value.life.count() == 0)
    return;
  known_.reset();
  next_invalidation_ = clock::now() + invalidation_pause;
}

std::optional<result<credential_ptr>>
credential_cache::find_cached_credential() {
  std::lock_guard guard{mutex_};
  if (known_ && clock::now() < good_until_)
    return known_;
  return std::nullopt;
}

result<credential_ptr> credential_cache::load_and_cache_credential() {
  auto found = source_();
  std::lock_guard guard{mutex_};
  if (!found) {
    // Not ec::invalid: the call is right, and may be let in later.
    known_ =
        failure{ec::unauthenticated, "cannot log in: " + found.error().message};
    good_until_ = clock::now() + failure_life;
    return *known_;
  }
  auto life = found->life;
  known_ = credential_ptr{std::make_shared<issued_credential>(
      issued_credential{std::move(*found), ++last_})};
  good_until_ =
      life.count() > 0 ? clock::now() + life : clock::time_point::max();
  return *known_;
}

} // namespace troupe::k8s::rest
