#pragma once

#include "actors/base/byte_pace.hpp"
#include "actors/base/own_report.hpp"
#include "actors/base/protocols.hpp"
#include "actors/reports/log_course.hpp"
#include "actors/reports/log_pipe.hpp"
#include "actors/reports/log_places.hpp"
#include "frameworks/core/progress/log_lines.hpp"
#include "frameworks/core/progress/log_progress.hpp"
#include "k8s/api.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace troupe::actors {

struct log_reader_config {
  std::shared_ptr<k8s::api> client;
  std::size_t most_streams = 0;
};

/// Reads the logs that tell how far jobs are, at most so many at a time, and
/// tells the jobs what their rules find. What a log says faster than the pace
/// waits on the API server; a log that is too fast for long is left out up to
/// its end.
class log_reader_state {
public:
  static inline const char* name = "log-reader";

  /// Of one log with simple rules; bytes of others count more (log_progress),
  /// and those of many logs, which share what so many may have.
  static constexpr std::size_t bytes_per_second = 1u << 20;
  static constexpr std::size_t full_shares = 8;
  /// Of what was written before the log is read for the first time.
  static constexpr int first_lines = 1'000;
  static constexpr std::chrono::seconds tick{1};
  /// So many in a row a log was faster than the pace: it is skipped.
  static constexpr int most_lagging_ticks = 10;
  static constexpr std::chrono::seconds time_to_end{10};

  explicit log_reader_state(log_reader_actor::pointer self)
      : self_(self) {}

  void init(log_reader_config config);
  void on_follow(const follow_log& what);
  void on_end(const end_log& which);
  void on_opened(const log_stream_opened& m);
  void on_pod_read(const log_pod_read& m);
  void on_bytes_arrived(const log_bytes_arrived& m);
  void on_stream_ended(const log_stream_ended& m);
  void on_tick();
  report_ptr report() const;

private:
  using time_point = caf::actor_clock::time_point;

  /// One log.
  struct reading {
    reading(follow_log w, time_point now)
        : what(std::move(w))
        , progress(what.rules)
        , reported(now - tick) {}

    follow_log what;
    core::log_lines lines;
    core::log_progress progress;
    log_course course;
    byte_pace pace{bytes_per_second, bytes_per_second};
    bool from_end = false; ///< Nothing of what was written so far is wanted.
    time_point reported;   ///< The latest report.
    /// The problem that the owner knows; nullopt: it does not know whether the
    /// log can be read.
    std::optional<std::string> told;
    std::uint64_t stream = 0;
    std::shared_ptr<log_pipe> pipe;
    std::unique_ptr<k8s::watch_session> session;
    bool is_opened = false;
    /// The stream is that of this pod; until then it is not read.
    bool is_checked = false;
    std::optional<k8s::result<k8s::nothing>> ended; ///< Before that.
    bool lags = false; ///< Since the last tick the pace kept it waiting.
    int lagging_ticks = 0;
    std::optional<time_point> ends_at;
  };

  reading* find_with_stream(caf::actor_id owner, std::uint64_t stream);
  void replace_log(reading& r, const follow_log& what);
  void begin_or_wait(caf::actor_id owner, reading& r);
  void request(caf::actor_id owner, reading& r);
  void close_stream(reading& r);
  void finish_stream(caf::actor_id owner, reading& r,
                     const k8s::result<k8s::nothing>& how);
  void forget(caf::actor_id owner);
  void read(reading& r);
  void read_bytes(reading& r, const std::string& bytes);
  void skip_to_end_if_lagging(caf::actor_id owner, reading& r);
  void report_if_due(reading& r, bool at_once = false);
  void tell(reading& r, const std::string& problem);
  void schedule_tick();
  time_point now() const { return self_->clock().now(); }

  log_reader_actor::pointer self_;
  std::shared_ptr<k8s::api> client_;
  log_places places_{0};
  std::map<caf::actor_id, reading> readings_; ///< By owner.
  std::uint64_t next_stream_ = 1;
  bool ticks_ = false;
  bool was_forbidden_ = false;
  std::uint64_t skipped_ = 0; ///< Logs that were left out up to their end.
};

log_reader_actor::behavior_type
log_reader(self_pointer<log_reader_actor, log_reader_state> self,
           log_reader_config config);

} // namespace troupe::actors
