#include "actors/cli/run_command.hpp"

#include "actors/cli/apply.hpp"
#include "actors/cli/commands.hpp"
#include "actors/cli/embedded_crds.hpp"
#include "actors/cli/job_run.hpp"
#include "actors/cli/manifest_errors.hpp"
#include "actors/cli/node_flags.hpp"
#include "actors/cli/open_files.hpp"
#include "config/duration.hpp"
#include "config/logging.hpp"
#include "frameworks/core/validation.hpp"
#include "frameworks/registry.hpp"
#include "k8s/text.hpp"

#include <CLI/CLI.hpp>

namespace troupe::cli {

namespace {

/// Three for a container's program, two for the stream of its log.
constexpr std::size_t files_of_pod = 5;
constexpr std::size_t files_of_process = 100;

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
  auto simulated = simulation_of(o.node);
  if (!simulated)
    return report_error("run", 2, simulated.error().message);
  if (*simulated && !o.kubeconfig.empty())
    return report_error("run", 2,
                        "--node simulated is for this machine: leave out "
                        "--kubeconfig");
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
  return follow_job(o, *load, *where, *type, out, stop);
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
