#include "actors/cli/run_command.hpp"

#include "actors/cli/apply.hpp"
#include "actors/cli/commands.hpp"
#include "actors/cli/embedded_crds.hpp"
#include "actors/cli/kubeconfig_file.hpp"
#include "actors/cli/local_cluster.hpp"
#include "actors/cli/manifest_errors.hpp"
#include "actors/cli/open_files.hpp"
#include "actors/cli/run_directory.hpp"
#include "actors/cli/run_session.hpp"
#include "actors/cli/signals.hpp"
#include "config/duration.hpp"
#include "config/logging.hpp"
#include "frameworks/core/validation.hpp"
#include "frameworks/registry.hpp"
#include "k8s/rest/credentials.hpp"
#include "k8s/rest/rest_api.hpp"
#include "k8s/text.hpp"

#include <CLI/CLI.hpp>

#include <csignal>
#include <optional>

namespace troupe::cli {

namespace {

using clock = std::chrono::steady_clock;

/// Three for a container's program, two for the stream of its log.
constexpr std::size_t files_of_pod = 5;
constexpr std::size_t files_of_process = 100;
using namespace std::chrono_literals;

constexpr auto turn_length = 100ms;
/// For the rest of a log after the job has finished.
constexpr auto log_patience = 5s;
/// For pods to end: more than the usual grace period.
constexpr auto delete_retry_delay = 60s;
/// For a job to fail by itself after a pod that cannot start here.
constexpr auto start_error_patience = 1s;
/// After which silence of an operator somewhere else is worth a word.
constexpr auto operator_patience = 15s;

k8s::result<workload> read_workload(const run_options& o) {
  std::vector<k8s::yaml_document> all;
  for (const auto& path : o.files) {
    auto files = manifest_files_at(path);
    if (!files)
      return files.error();
    for (const auto& file : *files) {
      auto read = read_manifest_file(file);
      if (!read)
        return read.error();
      for (auto& d : *read)
        all.push_back(std::move(d));
    }
  }
  auto load = extract_single_job(std::move(all), o.ns, supported_job_kinds());
  if (!load)
    return load;
  const auto* kind = frameworks::find(load->api_version, load->kind);
  if (auto wrong = find_wrong_choice(load->job, kind ? kind->spec_field : "");
      !wrong.empty())
    return k8s::failure{k8s::ec::invalid, wrong};
  return load;
}

/// Where the job runs.
struct run_target {
  std::unique_ptr<run_directory> logs; ///< Null if they are not kept here.
  std::unique_ptr<kubeconfig_file> kubeconfig; ///< Of `local`.
  std::unique_ptr<local_cluster> local; ///< Null for a cluster elsewhere.
  std::shared_ptr<k8s::api> client;
};

k8s::result<run_target> start_local_target(const run_options& o,
                                           const workload& load, screen& out) {
  run_target s;
  auto directory = run_directory::open(o.run_directory);
  if (!directory)
    return directory.error();
  s.logs = std::move(*directory);
  if (o.keep)
    s.logs->keep();
  local_options local;
  local.run_directory = s.logs->path();
  auto settings = config::load("", config::process_environment(),
                               {{"namespace", "", ""},
                                {"health-probe-bind-address", "0", ""},
                                {"metrics-bind-address", "0", ""},
                                {"admin-bind-address", "127.0.0.1:0", ""},
                                {"di-server-bind-address", "127.0.0.1:0", ""},
                                {"server-address", "", ""},
                                {"di-server-url", "", ""},
                                {"di-server-access", "anybody", ""}},
                               supported_job_kinds());
  if (!settings)
    return settings.error();
  local.settings = *settings;
  auto simulated = simulation_of(o.node);
  if (!simulated)
    return simulated.error();
  local.simulated = *simulated;
  auto cluster = start_local_cluster(std::move(local));
  if (!cluster)
    return cluster.error();
  s.local = std::move(*cluster);
  s.local->make_namespace(load.ns);
  auto path = s.logs->path() + "/kubeconfig";
  auto kubeconfig = kubeconfig_file::write(path, s.local->kubeconfig());
  if (!kubeconfig)
    return kubeconfig.error();
  s.kubeconfig = std::move(*kubeconfig);
  s.client = s.local->client();
  out.print_line(*simulated ? "Simulated: pods run no program."
                            : "No image is pulled: containers run as processes "
                              "of this machine.");
  out.print_line("Logs:  " + s.logs->path());
  out.print_line("Look around: export KUBECONFIG=" + path);
  out.print_line("Admin: http://127.0.0.1:"
                 + std::to_string(s.local->admin_port()) + "/#/jobs/" + load.ns
                 + "/" + load.kind + "/" + load.name);
  return s;
}

k8s::result<run_target> connect_target(const run_options& o, screen& out) {
  auto who = k8s::rest::from_kubeconfig(o.kubeconfig, o.context);
  if (!who)
    return who.error();
  out.print_line("Cluster: " + who->server);
  run_target s;
  s.client = k8s::rest::make_rest_api(std::move(*who));
  return s;
}

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
    auto until = clock::now() + delete_retry_delay;
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
      return out_.print_line(
          "Not done within " + config::to_string(options_.timeout)
          + "; allow more by --timeout, or ask why by `troupe explain`");
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

bool logs_choice_exists(const std::string& logs, const workload& load) {
  if (logs == "none" || logs == "all")
    return true;
  // Any key of any of the spec's maps of replicas, or any task, whatever the
  // framework.
  auto is_wanted = [&](const std::string& type) {
    return k8s::equal_ignoring_case(type, logs);
  };
  for (const auto& [key, value] :
       k8s::value_at(load.job.value, {"spec"}).items())
    for (const auto& [type, spec] : value.items())
      if (is_wanted(type)
          || (value.is_array()
              && (is_wanted(k8s::text_at(spec, {"name"}))
                  || is_wanted(k8s::text_at(spec, {"type"})))))
        return true;
  return false;
}

/// Replicas that the manifest asks for, in all.
std::size_t count_replicas(const workload& load) {
  const auto* kind = frameworks::find(load.api_version, load.kind);
  const auto& all =
      k8s::value_at(load.job.value, {"spec", kind ? kind->spec_field : ""});
  std::int64_t count = 0;
  if (all.is_object())
    for (const auto& [type, replica] : all.items())
      count +=
          std::max<std::int64_t>(0, k8s::number_at(replica, {"replicas"}, 1));
  return static_cast<std::size_t>(count);
}

void warn_of_open_file_limit(const workload& load, screen& out) {
  auto needed = files_of_process + files_of_pod * count_replicas(load);
  auto allowed = raise_open_file_limit();
  if (needed > allowed)
    out.print_line("Warning: " + std::to_string(needed)
                   + " open files may be needed, and only "
                   + std::to_string(allowed)
                   + " are allowed (ulimit -Hn); some pods may not start");
}

/// What the operator's webhook would warn of, as kubectl shows it.
void print_warnings(const workload& load, screen& out) {
  const auto* kind = frameworks::find(load.api_version, load.kind);
  if (!kind)
    return;
  auto spec = k8s::to_text(k8s::value_at(load.job.value, {"spec"}));
  for (const auto& warning : core::find_warnings(*kind, spec))
    out.print_line("Warning: " + warning);
}

} // namespace

int run_job(const run_options& o) {
  auto load = read_workload(o);
  if (!load)
    return report_error("run", 2, load.error().message);
  if (!logs_choice_exists(o.logs, *load))
    return report_error(
        "run", 2,
        "--logs " + o.logs + ": choose none, all or a replica type of the job");
  signals stop;
  // The operator's log would run through the progress; errors may.
  auto env = config::process_environment();
  auto level = env.count("TROUPE_LOG_LEVEL") ? env["TROUPE_LOG_LEVEL"]
                                             : std::string{"error"};
  log::start(level, "text", "iso8601");
  screen out{o.output};
  if (o.kubeconfig.empty() && o.node.kind == "host")
    warn_of_open_file_limit(*load, out);
  auto where = o.kubeconfig.empty() ? start_local_target(o, *load, out)
                                    : connect_target(o, out);
  if (!where)
    return report_error("run", 2, where.error().message);
  auto type = apply(*where->client, *load);
  if (!type)
    return report_error("run", 2, type.error().message);
  print_warnings(*load, out);
  return job_run(o, *load, *where, *type, out, stop).run();
}

void add_run_command(CLI::App& app, int& code) {
  auto* command = app.add_subcommand(
      "run", "Run one job to its end, on this machine or on a cluster");
  auto o = std::make_shared<run_options>();
  command
      ->add_option("FILE", o->files,
                   "Manifests, or directories of them: one job and what it "
                   "needs; - is standard input")
      ->required();
  command
      ->add_option("--kubeconfig", o->kubeconfig,
                   "Run on this cluster, which has an operator, instead of on "
                   "this machine")
      ->type_name("FILE");
  command->add_option("--context", o->context, "Context of the kubeconfig")
      ->type_name("NAME");
  command
      ->add_option("-n,--namespace", o->ns,
                   "For objects that name none [default]")
      ->type_name("NAME");
  command
      ->add_option("--run-dir", o->run_directory,
                   "For logs and the like; a new one below /tmp otherwise")
      ->type_name("DIRECTORY");
  command
      ->add_option("--logs", o->logs,
                   "Whose logs to show: none, all or a replica type [all]")
      ->type_name("WHOSE");
  command
      ->add_option_function<std::string>(
          "--output",
          [o](const std::string& format) {
            o->output = format == "json" ? output_format::json_lines
                                         : output_format::text;
          },
          "text, or json: an object in each line, of type message, job, "
          "replica, log, warning or, at the end, result [text]")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json"}));
  command->add_flag("--timestamps", o->timestamps,
                    "Begin each line of a log with its time");
  add_node_flags(*command, o->node);
  command->add_flag("--keep", o->keep,
                    "Keep the logs of a job that succeeded; on a cluster, "
                    "leave the job when stopped");
  command
      ->add_option_function<std::string>(
          "--timeout",
          [o](const std::string& text) {
            auto d = config::parse_duration(text);
            if (!d)
              throw CLI::ValidationError("--timeout", d.error().message);
            o->timeout = *d;
          },
          "Delete the job if it has not ended after this; exit code 124")
      ->type_name("DURATION");
  command->footer("Exit codes: 0 succeeded, 1 failed, 2 usage error, 124 "
                  "out of time, 130 stopped.");
  command->callback([o, &code] { code = run_job(*o); });
}

} // namespace troupe::cli
