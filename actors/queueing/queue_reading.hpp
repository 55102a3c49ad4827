#pragma once

#include "frameworks/core/waiting/waiting_reason.hpp"
#include "k8s/api.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace troupe::actors {

/// Reads what one LocalQueue of Kueue's and its ClusterQueue tell, and the
/// places of Workloads there, for all jobs that wait in it. What may not be
/// read, or is not served, is asked for seldom. A value: its owner sends the
/// calls.
class queue_reading {
public:
  /// For so long what was read answers all who ask.
  static constexpr std::chrono::seconds fresh_for{10};

  queue_reading(std::string ns, std::string queue)
      : ns_(std::move(ns))
      , queue_(std::move(queue)) {}

  /// The first call; nullopt: there is nothing to ask for.
  std::optional<k8s::request> begin(k8s::time_point now);
  /// The next call; nullopt: that was all.
  std::optional<k8s::request> on_answer(const k8s::result<std::string>& answer,
                                        k8s::time_point now);

  bool is_under_way() const { return at_ != part::end; }
  bool is_fresh(k8s::time_point now) const {
    return read_at_ && *read_at_ <= now && now < *read_at_ + fresh_for;
  }
  /// What was read last.
  core::queue_news news_of(const std::string& workload) const;
  /// What is not fresh any more is of no use.
  void forget_what_was_read();

private:
  enum class part : std::uint8_t { local_queue, cluster_queue, place, end };

  struct place {
    std::int64_t in_local_queue = 0; ///< From 0.
    std::int64_t in_cluster_queue = 0;
  };

  std::optional<k8s::request> next_call(k8s::time_point now);
  void read_queue(const std::string& text, const char* kind,
                  const std::string& name);
  void read_places(const std::string& text);

  std::string ns_;
  std::string queue_;
  part at_ = part::end;
  /// Until when each part is not asked for.
  std::array<k8s::time_point, 3> held_until_{};
  std::optional<k8s::time_point> read_at_;
  std::string cluster_queue_;           ///< Of the LocalQueue; "": not known.
  std::string stopped_;                 ///< As queue_news::stopped.
  std::map<std::string, place> places_; ///< By Workload.
  bool has_more_places_ = false;
};

} // namespace troupe::actors
