#include "actors/cli/run/job_run.hpp"

#include "actors/admin/text/terminal_text.hpp"
#include "actors/cli/progress/timeline_file.hpp"
#include "actors/cli/run/apply.hpp"
#include "actors/cli/run/event_watches.hpp"
#include "actors/cli/run/run_session.hpp"
#include "k8s/duration.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace troupe::cli {

namespace {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto turn_length = 100ms; ///< Between two looks at all jobs.
/// For the next pod that was not seen yet, and the rest of a log, after the job
/// has finished.
constexpr auto last_news_patience = 5s;
/// For pods to end: more than the usual grace period.
constexpr auto deletion_patience = 60s;
/// For a job to fail by itself after a pod that cannot start here.
constexpr auto start_error_patience = 1s;
/// After which silence of an operator somewhere else is worth a word.
constexpr auto operator_patience = 15s;

/// How the watching ended.
enum class ending { over, cannot_start, out_of_time, stopped, killed };

/// One job, from when it has been created to the last word. For one thread,
/// which runs the io_context and calls print_states_and_end_if_due() now and
/// then, until is_finished().
class job_run {
public:
  job_run(std::shared_ptr<boost::asio::io_context> io, const run_options& o,
          const job_manifest& job, run_target& where, const k8s::resource& type,
          screen& out, const k8s::reflector::failure_handler& list_failed)
      : options_(o)
      , job_(job)
      , where_(where)
      , type_(type)
      , out_(out)
      , session_(std::move(io), where.client, job, type,
                 o.node.kind == "simulated" ? "none" : o.logs, o.timestamps,
                 out, list_failed) {}

  void on_event_seen(const nlohmann::json& event) {
    session_.on_event_seen(event);
  }

  void print_states_and_end_if_due() {
    if (!out_.is_terminal())
      session_.print_overwritten_lines(clock::now());
    if (!ending_)
      return end_or_delete_if_due();
    if (session_.job_progress().pod_count() == 0
        || clock::now() > pods_ended_by_)
      finish();
  }

  bool is_finished() const { return is_over_; }
  const progress& job_progress() const { return session_.job_progress(); }
  const usage_by_pod& pod_usage() const { return session_.pod_usage(); }
  std::vector<std::string> unfinished_log_lines() const {
    return session_.unfinished_log_lines();
  }
  const timeline& recorded_timeline() const {
    return session_.recorded_timeline();
  }

  /// A signal has come: the job is deleted; at the second its pods are left to
  /// themselves. A job that has ended only lacks the rest of its logs.
  void on_stop_signal() {
    if (ending_)
      end_run(ending::killed);
    else if (last_news_)
      end_run(ending::over);
    else
      begin_job_deletion_unless_kept(ending::stopped);
  }

  int exit_code_of_run() const {
    if (*ending_ == ending::killed || *ending_ == ending::stopped)
      return 130;
    if (*ending_ == ending::out_of_time)
      return 124;
    return exit_code(session_.job_progress().job().end);
  }

  void print_result_and_keep_logs() {
    auto now = std::chrono::system_clock::now();
    auto code = exit_code_of_run();
    if (options_.output == output_format::json_lines) {
      auto result = session_.job_progress().result_json(
          now, code == 130 ? "" : keep_logs_unless_succeeded_get_path());
      result["exitCode"] = code;
      return out_.print_text_or_json("", std::move(result));
    }
    if (code == 130)
      return;
    if (*ending_ == ending::out_of_time)
      out_.print_line("Not done within "
                      + k8s::to_duration_text(options_.timeout)
                      + "; allow more by --timeout");
    for (const auto& l : session_.job_progress().summary_lines(
             now, keep_logs_unless_succeeded_get_path()))
      out_.print_line(l);
  }

  /// What a person would do with a job that failed on a cluster.
  std::string kubectl_describe_command() const {
    return "kubectl describe " + type_.plural + " -n " + job_.ns + " "
           + job_.name;
  }

private:
  void end_or_delete_if_due() {
    auto now = clock::now();
    const auto& job = session_.job_progress().job();
    if (job.end != job_end::open && !last_news_) {
      last_news_ = now;
      session_.list_and_remember_unseen_pods();
    }
    if (last_news_) {
      auto unseen = session_.count_unseen_pods();
      if (std::exchange(unseen_pods_, unseen) != unseen || !unseen)
        last_news_ = now;
      bool is_all_seen = unseen == 0 && session_.are_ended_pod_logs_read();
      if (is_all_seen || now > *last_news_ + last_news_patience)
        end_run(ending::over);
      return;
    }
    if (!start_error_ && session_.job_progress().has_permanent_start_error())
      start_error_ = now;
    if (where_.local && start_error_
        && now > *start_error_ + start_error_patience)
      return begin_job_deletion_unless_kept(ending::cannot_start);
    if (options_.timeout > 0ms && now > begin_ + options_.timeout)
      return begin_job_deletion_unless_kept(ending::out_of_time);
    if (!where_.local && !warned_ && job.state.empty()
        && now > begin_ + operator_patience) {
      warned_ = true;
      out_.print_line("Nothing has happened to the job yet: is an operator "
                      "running in this cluster?");
    }
  }

  void end_run(ending how) {
    ending_ = how;
    finish();
  }

  void finish() {
    is_over_ = true;
    session_.stop();
  }

  /// From now on the job's pods are waited for.
  void begin_job_deletion_unless_kept(ending how) {
    if (options_.keep && !where_.local) {
      out_.print_line("The job stays in the cluster.");
      return end_run(how);
    }
    out_.print_line(
        how == ending::stopped
            ? "Stopping: the job is deleted, its pods end (once more "
              "Ctrl-C: at once)"
        : how == ending::cannot_start
            ? "Giving up: a replica cannot start on this machine; the job is "
              "deleted, its pods end"
            : "Out of time: the job is deleted, its pods end");
    delete_job_ignoring_failure(*where_.client, job_, type_);
    ending_ = how;
    pods_ended_by_ = clock::now() + deletion_patience;
  }

  /// Where the logs stay, "" if they do not. Those of a job that did not
  /// succeed are wanted.
  std::string keep_logs_unless_succeeded_get_path() {
    if (!where_.logs)
      return "";
    if (session_.job_progress().job().end != job_end::succeeded)
      where_.logs->keep_on_exit();
    return where_.logs->is_kept() ? where_.logs->path() : "";
  }

  const run_options& options_;
  const job_manifest& job_;
  run_target& where_;
  const k8s::resource& type_;
  screen& out_;
  run_session session_;
  clock::time_point begin_ = clock::now();
  std::optional<std::size_t> unseen_pods_;
  /// When the job had ended, or their number changed after that.
  std::optional<clock::time_point> last_news_;
  std::optional<clock::time_point> start_error_; ///< When one was seen first.
  std::optional<ending> ending_;
  clock::time_point pods_ended_by_;
  bool is_over_ = false;
  bool warned_ = false;
};

/// Prints each failure once, however many watches have it in turn.
k8s::reflector::failure_handler make_printer_of_new_failures(screen& out) {
  auto last = std::make_shared<std::string>();
  return [last, &out](const k8s::failure& why) {
    if (std::exchange(*last, why.message) != why.message)
      out.print_line("Error from the API server, retrying: " + why.message);
  };
}

using job_runs = std::vector<std::unique_ptr<job_run>>;

/// Of lines that overwrite themselves, between the logs and the tables: an
/// eighth of the terminal, one line at least.
std::vector<table_line> make_unfinished_lines(const job_runs& runs,
                                              const screen& out) {
  auto most = std::max<std::size_t>(1, out.height() / 8);
  std::vector<table_line> lines;
  for (const auto& run : runs) {
    if (run->is_finished())
      continue;
    for (const auto& text : run->unfinished_log_lines())
      if (lines.size() < most)
        lines.push_back({actors::truncate_with_ellipsis(text, out.width())});
  }
  return lines;
}

/// The tables of the jobs that are not over, in half of the terminal: the rest
/// is for the logs that scroll by.
void draw_job_tables(const job_runs& runs, screen& out) {
  if (!out.is_terminal())
    return;
  auto is_open = [](const auto& r) { return !r->is_finished(); };
  auto open = static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), is_open));
  auto height = std::max<std::size_t>(3, out.height() / 2
                                             / std::max<std::size_t>(1, open));
  auto now = std::chrono::system_clock::now();
  auto lines = make_unfinished_lines(runs, out);
  for (const auto& run : runs)
    if (is_open(run))
      for (auto& line : make_job_table(run->job_progress(), run->pod_usage(),
                                       now, out.width(), height))
        lines.push_back(std::move(line));
  lines.resize(std::min(lines.size(), out.height()));
  out.draw_table_if_terminal_and_changed(lines);
}

/// Says where it is, or what is wrong with the file.
void write_timeline_and_print_path(const job_runs& runs,
                                   const std::string& path, screen& out) {
  std::vector<const timeline*> timelines;
  for (const auto& run : runs)
    timelines.push_back(&run->recorded_timeline());
  auto done =
      write_timeline_file(path, timelines, std::chrono::system_clock::now());
  out.print_line(done ? "Timeline: " + path : done.error().message);
}

void print_next_steps(const job_runs& runs, bool is_local, screen& out) {
  auto has_ended = [](job_end end) {
    return [end](const auto& r) { return r->job_progress().job().end == end; };
  };
  if (!is_local) {
    for (const auto& run : runs)
      if (has_ended(job_end::failed)(run))
        out.print_line("Next: " + run->kubectl_describe_command());
  } else if (std::all_of(runs.begin(), runs.end(),
                         has_ended(job_end::succeeded))) {
    out.print_line(
        "Next: the same file runs on a cluster, by `kubectl apply -f` "
        "or `troupe run --kubeconfig`.");
  } else {
    out.print_line("Next: mend the program or the manifest, then run it again; "
                   "`troupe up` keeps the cluster for a look around.");
  }
}

} // namespace

int follow_jobs_and_print_results(const run_options& o, const workload& load,
                                  run_target& where,
                                  const std::vector<k8s::resource>& types,
                                  screen& out, signals& stop) {
  auto io = std::make_shared<boost::asio::io_context>();
  auto work = boost::asio::make_work_guard(*io);
  auto print_failure = make_printer_of_new_failures(out);
  job_runs runs;
  event_watches events;
  for (std::size_t i = 0; i < load.jobs.size(); ++i) {
    const auto& job = load.jobs[i];
    runs.push_back(std::make_unique<job_run>(io, o, job, where, types[i], out,
                                             print_failure));
    events.add_job(job.ns, job.name, [run = runs.back().get()](const auto& e) {
      run->on_event_seen(e);
    });
  }
  events.start(io, where.client, print_failure);
  auto all_over = [&] {
    return std::all_of(runs.begin(), runs.end(),
                       [](const auto& r) { return r->is_finished(); });
  };
  while (!all_over()) {
    io->run_for(turn_length);
    for (auto& run : runs)
      if (!run->is_finished())
        run->print_states_and_end_if_due();
    if (where.local)
      for (const auto& refusal : where.local->take_operator_refusals())
        out.print_line("The operator may not do this: " + refusal);
    if (stop.wait_for_signal(0ms) != 0)
      for (auto& run : runs)
        if (!run->is_finished())
          run->on_stop_signal();
    draw_job_tables(runs, out);
    out.flush();
  }
  events.stop();
  out.draw_table_if_terminal_and_changed({});
  int code = 0;
  if (where.logs) { // Then the summary names the directory.
    where.logs->keep_if_work_files();
    where.logs->keep_if_claim_files();
  }
  if (!o.timeline.empty())
    write_timeline_and_print_path(runs, o.timeline, out);
  for (auto& run : runs) {
    run->print_result_and_keep_logs();
    code = std::max(code, run->exit_code_of_run());
  }
  if (o.output == output_format::text && code != 130)
    print_next_steps(runs, where.local != nullptr, out);
  return code;
}

} // namespace troupe::cli
