#include "actors/cli/base/embedded_crds.hpp"
#include "actors/cli/commands/authorization_flag.hpp"
#include "actors/cli/commands/commands.hpp"
#include "actors/cli/commands/node_flags.hpp"
#include "actors/cli/local/ignored_queue.hpp"
#include "actors/cli/local/open_files.hpp"
#include "actors/cli/manifest/kustomization.hpp"
#include "actors/cli/manifest/manifest_errors.hpp"
#include "actors/cli/progress/timeline_file.hpp"
#include "actors/cli/run/apply.hpp"
#include "actors/cli/run/job_run.hpp"
#include "actors/cli/run/run_options.hpp"
#include "config/flags.hpp"
#include "config/logging.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/spec/validation.hpp"
#include "frameworks/registry.hpp"
#include "k8s/duration.hpp"
#include "k8s/rest/web_document.hpp"
#include "k8s/text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <random>

namespace troupe::cli {

namespace {

/// Three for a container's program, two for the stream of its log, three for
/// the pod's namespaces.
constexpr std::size_t files_of_pod = 8;
constexpr std::size_t files_of_process = 100;

using documents = std::vector<k8s::yaml_document>;

k8s::result<documents> read_web_manifest(const std::string& url) {
  auto text = k8s::rest::read_web_document(url);
  return text ? parse_manifest(*text, url)
              : k8s::result<documents>{text.error()};
}

k8s::result<documents> read_manifest_file(const std::string& path,
                                          std::size_t& left) {
  auto text = read_manifest_text(path, left);
  return text ? parse_manifest(*text, source_name(path))
              : k8s::result<documents>{text.error()};
}

k8s::result<documents> read_documents(const run_options& o) {
  documents all;
  auto left = most_manifest_bytes;
  auto append = [&](k8s::result<documents> read) {
    if (read)
      std::move(read->begin(), read->end(), std::back_inserter(all));
    return read;
  };
  for (const auto& path : o.files) {
    if (k8s::rest::is_web_url(path)) {
      if (auto read = append(read_web_manifest(path)); !read)
        return read.error();
      continue;
    }
    auto files = manifest_files_at(path);
    if (!files)
      return files.error();
    for (const auto& file : *files)
      if (auto read = append(read_manifest_file(file, left)); !read)
        return read.error();
  }
  for (const auto& directory : o.kustomizations)
    if (auto read = append(read_kustomization(directory)); !read)
      return read.error();
  return all;
}

suffix_source make_random_suffix_source() {
  return [random = std::make_shared<std::random_device>()] {
    std::uniform_int_distribution<std::int32_t> all{0, core::random_suffix_count
                                                           - 1};
    return all(*random);
  };
}

k8s::result<workload> read_workload(const run_options& o) {
  if (o.files.empty() && o.kustomizations.empty())
    return k8s::failure{k8s::ec::invalid,
                        "name a manifest, or a directory with a "
                        "kustomization.yaml by -k"};
  auto all = read_documents(o);
  if (!all)
    return all.error();
  auto load = extract_workload(std::move(*all), o.ns, supported_job_kinds(),
                               make_random_suffix_source());
  if (!load)
    return load;
  if (o.kubeconfig.empty())
    leave_out_what_cannot_run_here(*load);
  else if (!load->left_out.empty())
    return k8s::failure{k8s::ec::invalid, load->left_out.front().document.where
                                              + ": "
                                              + load->left_out.front().why};
  if (load->jobs.size() > 1 && !o.all)
    return k8s::failure{
        k8s::ec::invalid,
        "there are " + std::to_string(load->jobs.size())
            + " jobs in what was given, at " + load->jobs[0].document.where
            + " and " + load->jobs[1].document.where
            + "; --all runs them at once, or start `troupe up` and apply them "
              "with kubectl"};
  for (const auto& job : load->jobs) {
    const auto* kind = frameworks::find(job.api_version, job.kind);
    if (auto wrong = wrong_choice_message(job.document,
                                          kind ? kind->names.spec_field : "");
        !wrong.empty())
      return k8s::failure{k8s::ec::invalid, wrong};
  }
  return load;
}

bool has_replica_type(const job_manifest& job, const std::string& wanted) {
  // Any key of any of the spec's maps of replicas, or any task, whatever the
  // framework.
  auto is_wanted = [&](const std::string& type) {
    return k8s::equal_ignoring_case(type, wanted);
  };
  for (const auto& [key, value] :
       k8s::value_at(job.document.value, {"spec"}).items())
    for (const auto& [type, spec] : value.items())
      if (is_wanted(type)
          || (value.is_array()
              && (is_wanted(k8s::text_at(spec, {"name"}))
                  || is_wanted(k8s::text_at(spec, {"type"})))))
        return true;
  return false;
}

bool is_valid_logs_choice(const std::string& logs, const workload& load) {
  auto has_it = [&](const job_manifest& job) {
    return has_replica_type(job, logs);
  };
  return logs == "none" || logs == "all"
         || std::any_of(load.jobs.begin(), load.jobs.end(), has_it);
}

void raise_open_file_limit_or_warn(const workload& load, screen& out) {
  auto needed = files_of_process;
  for (const auto& job : load.jobs)
    needed += files_of_pod * count_replicas_with_defaults(job);
  auto allowed = raise_open_file_limit();
  if (needed > allowed)
    out.print_line("Warning: " + std::to_string(needed)
                   + " open files may be needed, and only "
                   + std::to_string(allowed)
                   + " are allowed (ulimit -Hn); some pods may not start");
}

void print_lines(const std::vector<std::string>& lines, screen& out) {
  for (const auto& line : lines)
    out.print_line(line);
}

void print_left_out_objects(const std::vector<left_out_object>& all,
                            screen& out) {
  for (const auto& one : all) {
    const auto& object = one.document.value;
    const auto& name = k8s::text_at(object, {"metadata", "name"});
    auto text = describe_left_out_object(one);
    out.print_text_or_json("Warning: " + text, {{"type", "warning"},
                                                {"object", name},
                                                {"reason", "LeftOut"},
                                                {"message", text}});
  }
}

/// What the operator's webhook would warn of, as kubectl shows it.
void print_spec_warnings(const job_manifest& job, screen& out) {
  const auto* kind = frameworks::find(job.api_version, job.kind);
  if (!kind)
    return;
  auto spec = k8s::to_text(k8s::value_at(job.document.value, {"spec"}));
  for (const auto& warning : core::find_spec_warnings(*kind, spec))
    out.print_line("Warning: " + warning);
}

void warn_of_ignored_queue(const job_manifest& job, screen& out) {
  auto text = ignored_queue_warning(job.document.value);
  if (!text.empty())
    out.print_line("Warning: " + text);
}

/// Whoever would resume it, as Kueue does, is not on this machine.
void warn_if_suspended(const job_manifest& job, screen& out) {
  if (k8s::bool_at(job.document.value, {"spec", "runPolicy", "suspend"}))
    out.print_line("Warning: " + job.kind + " " + job.name
                   + " is suspended, and nothing here resumes it: leave out "
                     "spec.runPolicy.suspend, or set it to false by kubectl");
}

/// Pods that still run may write until their end.
void stop_local_cluster_and_keep_files(const run_options& o, run_target& where,
                                       screen& out) {
  where.client.reset();
  where.local.reset();
  auto files = where.logs ? where.logs->keep_if_work_files() : std::string{};
  if (!files.empty() && o.output == output_format::text)
    out.print_line("Files that pods wrote in their working directories: "
                   + files);
  files = where.logs ? where.logs->keep_if_claim_files() : std::string{};
  if (!files.empty() && o.output == output_format::text)
    out.print_line("Volumes of claims: " + files);
}

/// Runs jobs from their manifests to their end and returns the highest of their
/// exit codes: 0 succeeded, 1 failed, 2 usage error, 124 out of time, 130
/// stopped by the user.
int run_jobs(const run_options& o) {
  auto load = read_workload(o);
  if (!load)
    return report_error("run", 2, load.error().message);
  if (!is_valid_logs_choice(o.logs, *load))
    return report_error("run", 2,
                        "--logs " + o.logs
                            + ": choose none, all or a replica type of a job");
  auto simulated = parse_simulation(o.node);
  if (!simulated)
    return report_error("run", 2, simulated.error().message);
  if (*simulated && !o.kubeconfig.empty())
    return report_error("run", 2,
                        "--node simulated is for this machine: leave out "
                        "--kubeconfig");
  if (o.authorization != k8s::apiserver::authorization_mode::always_allow
      && !o.kubeconfig.empty())
    return report_error("run", 2,
                        "--authorization is for this machine: leave out "
                        "--kubeconfig");
  if (!o.node.isolation.empty() && !o.kubeconfig.empty())
    return report_error("run", 2,
                        "--isolation is for this machine: leave out "
                        "--kubeconfig");
  if (!o.node.work_directory.empty() && !o.kubeconfig.empty())
    return report_error("run", 2,
                        "--workdir is for this machine: leave out "
                        "--kubeconfig");
  if (!o.node.volumes.empty() && !o.kubeconfig.empty())
    return report_error("run", 2,
                        "--volume is for this machine: leave out "
                        "--kubeconfig");
  if (!o.timeline.empty())
    if (auto made = create_empty_timeline_file(o.timeline); !made)
      return report_error("run", 2, made.error().message);
  signals stop;
  // The operator's log would run through the progress; errors may.
  auto env = config::process_environment();
  auto level = env.count("TROUPE_LOG_LEVEL") ? env["TROUPE_LOG_LEVEL"]
                                             : std::string{"error"};
  log::configure(level, "text", "iso8601");
  screen out{o.output};
  if (o.kubeconfig.empty() && o.node.kind == "host")
    raise_open_file_limit_or_warn(*load, out);
  auto where = o.kubeconfig.empty() ? start_local_target(o, *load, out)
                                    : connect_target(o, out);
  if (!where)
    return report_error("run", 2, where.error().message);
  print_lines(describe_generated_names(*load), out);
  print_left_out_objects(load->left_out, out);
  auto applied = apply_workload(*where->client, *load,
                                where->local ? unknown_kinds::are_left_out
                                             : unknown_kinds::are_errors);
  if (!applied)
    return report_error("run", 2, applied.error().message);
  print_left_out_objects(applied->left_out, out);
  for (const auto& job : load->jobs)
    print_spec_warnings(job, out);
  if (where->local)
    for (const auto& job : load->jobs) {
      warn_of_ignored_queue(job, out);
      warn_if_suspended(job, out);
    }
  if (load->jobs.size() > 1)
    out.prefix_log_lines_with_job();
  int code = follow_jobs_and_print_results(o, *load, *where, applied->types,
                                           out, stop);
  stop_local_cluster_and_keep_files(o, *where, out);
  return code;
}

} // namespace

void add_run_command(CLI::App& app, command_action& action) {
  auto* command = app.add_subcommand(
      "run", "Run jobs to their end, on this machine or on a cluster");
  auto o = std::make_shared<run_options>();
  command->add_option("FILE", o->files,
                      "Manifests, or directories of them, or https:// URLs: a "
                      "job and what it needs; - is standard input");
  command
      ->add_option("-k,--kustomize", o->kustomizations,
                   "A directory with a kustomization.yaml, built by kubectl or "
                   "kustomize; may be repeated")
      ->type_name("DIRECTORY")
      ->allow_extra_args(false);
  command->add_flag("--all", o->all, "Run several jobs at once");
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
          "replica, attempt, replacement, recovered, log, warning or, at the "
          "end, result [text]")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json"}));
  command->add_flag("--timestamps", o->timestamps,
                    "Begin each line of a log with its time");
  add_node_flags(*command, o->node);
  add_authorization_flag(*command, o->authorization);
  command->add_flag("--keep", o->keep,
                    "Keep the logs of a job that succeeded; on a cluster, "
                    "leave the job when stopped");
  command
      ->add_option_function<std::string>(
          "--timeout",
          [o](const std::string& text) {
            auto d = k8s::parse_duration(text);
            if (!d)
              throw CLI::ValidationError(
                  config::invalid_argument_failure("--timeout", text,
                                                   d.error().message)
                      .message);
            o->timeout = *d;
          },
          "Delete the job if it has not ended after this; exit code 124")
      ->type_name("DURATION");
  command
      ->add_option("--timeline", o->timeline,
                   "Write there at the end, as a page of HTML, when what has "
                   "happened to the jobs and their pods")
      ->type_name("FILE");
  command->footer("Exit codes: 0 succeeded, 1 failed, 2 usage error, 124 "
                  "out of time, 130 stopped; of several jobs the highest.");
  command->callback([=, &action] { action = [=] { return run_jobs(*o); }; });
}

} // namespace troupe::cli
