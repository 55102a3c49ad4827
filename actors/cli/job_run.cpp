#include "actors/cli/job_run.hpp"

#include "actors/cli/apply.hpp"
#include "actors/cli/run_session.hpp"
#include "config/duration.hpp"

#include <optional>

namespace troupe::cli {

namespace {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto turn_length = 100ms;
/// For the rest of a log after the job has finished.
constexpr auto log_patience = 5s;
/// For pods to end: more than the usual grace period.
constexpr auto deletion_patience = 60s;
/// For a job to fail by itself after a pod that cannot start here.
constexpr auto start_error_patience = 1s;
/// After which silence of an operator somewhere else is worth a word.
constexpr auto operator_patience = 15s;

/// How the watching ended.
enum class ending { over, cannot_start, out_of_time, stopped, killed };

/// One run, from the created job to the last word.
class job_run {
public:
  job_run(const run_options& o, const workload& load, run_target& where,
          k8s::resource type, screen& out, signals& stop)
      : options_(o)
      , load_(load)
      , where_(where)
      , type_(type)
      , out_(out)
      , stop_(stop)
      , session_(where.client, load, std::move(type),
                 o.node.kind == "simulated" ? "none" : o.logs, o.timestamps,
                 out) {}

  int run() {
    auto how = watch_until_over_or_stopped();
    if (how == ending::stopped || how == ending::out_of_time
        || how == ending::cannot_start)
      how = delete_and_wait(how);
    out_.draw_table({});
    auto code = exit_code_of(how);
    print_result(how, code);
    return code;
  }

private:
  ending watch_until_over_or_stopped() {
    auto begin = clock::now();
    std::optional<clock::time_point> over;
    std::optional<clock::time_point> start_error;
    bool warned = false;
    while (true) {
      session_.run_for_then_draw(turn_length);
      auto now = clock::now();
      const auto& job = session_.seen().job();
      if (job.end != job_end::open && !over)
        over = now;
      if (over
          && (session_.are_ended_pod_logs_read() || now > *over + log_patience))
        return ending::over;
      if (stop_.wait(0ms) != 0)
        return over ? ending::over : ending::stopped;
      if (!start_error && session_.seen().has_start_error())
        start_error = now;
      if (!over && where_.local && start_error
          && now > *start_error + start_error_patience)
        return ending::cannot_start;
      if (!over && options_.timeout > 0ms && now > begin + options_.timeout)
        return ending::out_of_time;
      if (!where_.local && !warned && job.state.empty()
          && now > begin + operator_patience) {
        warned = true;
        out_.print_line("Nothing has happened to the job yet: is an operator "
                        "running in this cluster?");
      }
    }
  }

  /// Deletes the job and waits for its pods.
  ending delete_and_wait(ending how) {
    if (options_.keep && !where_.local) {
      out_.print_line("The job stays in the cluster.");
      return how;
    }
    out_.print_line(
        how == ending::stopped
            ? "Stopping: the job is deleted, its pods end (once more "
              "Ctrl-C: at once)"
        : how == ending::cannot_start
            ? "Giving up: a replica cannot start on this machine; the job is "
              "deleted, its pods end"
            : "Out of time: the job is deleted, its pods end");
    delete_job(*where_.client, load_, type_);
    auto until = clock::now() + deletion_patience;
    while (session_.seen().pods() > 0 && clock::now() < until) {
      session_.run_for_then_draw(turn_length);
      if (stop_.wait(0ms) != 0)
        return ending::killed;
    }
    return how;
  }

  /// Where the logs stay, "" if they do not. Those of a job that did not
  /// succeed are wanted.
  std::string keep_logs_if_needed() {
    if (!where_.logs)
      return "";
    if (session_.seen().job().end != job_end::succeeded)
      where_.logs->keep();
    return where_.logs->is_kept() ? where_.logs->path() : "";
  }

  int exit_code_of(ending how) const {
    if (how == ending::killed || how == ending::stopped)
      return 130;
    if (how == ending::out_of_time)
      return 124;
    return exit_code(session_.seen().job().end);
  }

  void print_result(ending how, int code) {
    auto now = std::chrono::system_clock::now();
    if (options_.output == output_format::json_lines) {
      auto result =
          session_.seen().result(now, code == 130 ? "" : keep_logs_if_needed());
      result["exitCode"] = code;
      return out_.print("", std::move(result));
    }
    if (code == 130)
      return;
    if (how == ending::out_of_time)
      out_.print_line("Not done within " + config::to_string(options_.timeout)
                      + "; allow more by --timeout");
    for (const auto& l : session_.seen().summary(now, keep_logs_if_needed()))
      out_.print_line(l);
    print_next_steps();
  }

  void print_next_steps() {
    auto end = session_.seen().job().end;
    if (end == job_end::succeeded && where_.local)
      out_.print_line(
          "Next: the same file runs on a cluster, by `kubectl apply -f` "
          "or `troupe run --kubeconfig`.");
    else if (where_.local)
      out_.print_line(
          "Next: mend the program or the manifest, then run it again; "
          "`troupe up` keeps the cluster for a look around.");
    else if (end == job_end::failed)
      out_.print_line("Next: kubectl describe " + type_.plural + " -n "
                      + load_.ns + " " + load_.name);
  }

  const run_options& options_;
  const workload& load_;
  run_target& where_;
  k8s::resource type_;
  screen& out_;
  signals& stop_;
  run_session session_;
};

} // namespace

int follow_job(const run_options& o, const workload& load, run_target& where,
               const k8s::resource& type, screen& out, signals& stop) {
  return job_run(o, load, where, type, out, stop).run();
}

} // namespace troupe::cli
