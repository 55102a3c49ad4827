#pragma once

#include "actors/leadership/boot_clock.hpp"
#include "k8s/calls.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace troupe::actors {

/// The times of an election, with the meaning they have in client-go.
struct lease_times {
  /// Others may take the Lease if it has not been renewed for this long.
  std::chrono::milliseconds duration{15'000};
  /// A leader that has not renewed the Lease for this long must not write.
  std::chrono::milliseconds renew_deadline{10'000};
  /// Between two attempts to take or to renew the Lease.
  std::chrono::milliseconds retry_period{2'000};
};

struct lease_config {
  k8s::object_ref lease;
  std::string identity; ///< Of this process, as holderIdentity.
  lease_times times;
  /// Whether the holder of this identity is a process that has ended, so that
  /// nobody has to wait for its Lease to expire. May return true only once.
  std::function<bool(const std::string& identity)> has_ended;
  /// Returns another identity for this process, because another one has the
  /// same: a virtual machine was resumed twice from one snapshot. May be empty.
  std::function<std::string()> change_identity = {};
  /// Called before each request that makes this process the holder. May be
  /// empty.
  std::function<void()> claiming = {};
  /// What this process writes on the Lease while it holds it; an annotation
  /// with the value "" is removed.
  std::map<std::string, std::string> annotations = {};
  /// Called with each answer: whether we lead, and the Lease (JSON text).
  std::function<void(bool leads, const std::string& lease)> observed = {};
};

/// How a process recognizes its own Lease. If an elector fails, the next one of
/// this process gets it, and so does not mistake its Lease for another's.
struct lease_writes {
  std::string identity;          ///< "": that of the config.
  std::deque<std::string> times; ///< The renewTimes that were written last.
};

/// Elects one leader by a Lease, as client-go does: decides what to send, and
/// what the answer means. A value: no clock, no I/O. The times of other
/// processes are never compared with ours; all that counts is for how long this
/// process has seen the Lease unchanged.
///
/// A Lease is ours if it has our identity and a renewTime that we have written:
/// the identity alone may be that of a copy of this process.
class lease_election {
public:
  using time_point = boot_clock::time_point;

  /// What an answer has changed.
  enum class change {
    none,
    acquired, ///< We lead.
    lost,     ///< We led, and another process has held the Lease since; or
              ///< the server went back to an older state, so nothing that was
              ///< read from it holds any more.
  };

  /// What to do next: send `request`, or begin_acquire_or_renew() after
  /// `pause`.
  struct step {
    change what = change::none;
    std::optional<k8s::request> request;
    std::chrono::milliseconds pause{0};
  };

  lease_election() = default;
  /// `former`: of an earlier election of this process.
  explicit lease_election(lease_config config, lease_writes former = {});

  /// A new attempt: a leader renews the Lease, others read it.
  k8s::request begin_acquire_or_renew(time_point now, k8s::time_point wall);
  /// The answer to the request of begin_acquire_or_renew(), or of the last
  /// step. `jitter` in [0, 1).
  step on_response(const k8s::result<std::string>& answer, time_point now,
                   k8s::time_point wall, double jitter);
  /// Gives the Lease back; nullopt if we do not hold it.
  std::optional<k8s::request>
  stop_leading_and_begin_release(k8s::time_point wall);

  bool is_leader() const { return leads_; }
  /// Until when a leader may write, unless the Lease is renewed before then.
  time_point may_write_until() const { return writes_end_; }
  /// As last seen; "" if nobody holds the Lease.
  const std::string& lease_holder() const { return seen_.holder; }
  /// The whole Lease, as last seen; "" if it does not exist.
  const std::string& lease_json() const { return object_; }
  const lease_config& config() const { return config_; }
  /// For the next election of this process.
  lease_writes own_writes() const { return {config_.identity, written_}; }

private:
  enum class phase { reading, writing };

  /// What the Lease said when it was last seen.
  struct record {
    std::string holder;
    std::string renewed; ///< renewTime
    std::uint64_t version = 0;
    std::int64_t transitions = 0;
    std::chrono::milliseconds duration{0};

    bool operator!=(const record& o) const {
      return holder != o.holder || renewed != o.renewed
             || transitions != o.transitions || duration != o.duration;
    }
  };

  k8s::request begin_read();
  /// Takes or renews the Lease as it was last seen; records the renewTime.
  k8s::request begin_lease_write_and_mark_claim(time_point now,
                                                k8s::time_point wall);
  /// Also remembers a holder that has ended, because that is said only once.
  bool can_take_lease_noting_ended_holder(time_point now);
  bool is_seen_lease_ours() const;
  void change_identity_if_shared();
  /// The server's state is older than what was seen before.
  bool has_gone_back() const {
    return seen_.version > 0 && seen_.version < newest_version_;
  }
  step step_after_read(const k8s::result<std::string>& answer, time_point now,
                       k8s::time_point wall, std::chrono::milliseconds pause);
  step step_after_write(const k8s::result<std::string>& answer, time_point now,
                        std::chrono::milliseconds pause);
  step become_standby(std::chrono::milliseconds pause);
  /// Records the Lease; "": it does not exist.
  void record_observed_lease(const std::string& object, time_point now);

  lease_config config_;
  phase phase_ = phase::reading;
  std::string object_; ///< The whole Lease, as last seen.
  record seen_;
  std::uint64_t newest_version_ = 0;
  std::string ended_holder_;        ///< Known to have ended.
  std::deque<std::string> written_; ///< The renewTimes that we wrote last.
  time_point seen_at_{};            ///< When `seen_` was seen first.
  time_point sent_at_{};            ///< When the last write was sent.
  bool leads_ = false;
  time_point writes_end_ = time_point::min();
};

} // namespace troupe::actors
