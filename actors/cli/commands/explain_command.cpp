#include "actors/admin/text/explain_text.hpp"
#include "actors/cli/ask/admin_connection.hpp"
#include "actors/cli/ask/admin_text.hpp"
#include "actors/cli/base/embedded_crds.hpp"
#include "actors/cli/base/send_and_wait.hpp"
#include "actors/cli/commands/commands.hpp"
#include "frameworks/registry.hpp"
#include "k8s/calls.hpp"
#include "k8s/text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace troupe::cli {

namespace {

/// Whether the cluster has the job, as far as that can be known.
bool job_exists_in_cluster(const job_argument& job, const std::string& kind,
                           k8s::api& cluster) {
  const auto& rows = frameworks::all();
  return std::any_of(rows.begin(), rows.end(), [&](const auto& f) {
    return f.names.type.kind == kind
           && send_and_wait(cluster,
                            k8s::get({f.names.type, job.ns, job.name}));
  });
}

int report_missing_job(const job_argument& job, const admin_connection& c) {
  auto get = [&](const char* path) {
    auto answer = send_and_wait(*c.client, make_get_request(path));
    return answer ? *answer : nlohmann::json{};
  };
  auto lines = missing_job_lines(job, get("/admin/v1/actors"),
                                 get("/admin/v1/settings"));
  if (c.cluster)
    for (const auto& kind : job.kinds)
      if (job_exists_in_cluster(job, kind, *c.cluster))
        lines.push_back("The cluster has a " + kind + " of this name.");
  return report_error("explain", 1, k8s::join(lines, "\n"));
}

int run_explain(const admin_options& o, const std::string& argument,
                const std::string& ns) {
  // A mistake is reported before anybody is asked.
  if (auto read =
          parse_job_argument(argument, ns, "default", supported_job_kinds());
      !read)
    return report_error("explain", 2, read.error().message);
  auto connection = connect_to_admin(o);
  if (!connection)
    return report_error("explain", 1, connection.error().message);
  auto job = parse_job_argument(argument, ns, connection->default_namespace,
                                supported_job_kinds());
  if (!job)
    return report_error("explain", 2, job.error().message);
  for (const auto& kind : job->kinds) {
    auto report = send_and_wait(
        *connection->client, make_get_request("/admin/v1/jobs/" + job->ns + "/"
                                              + kind + "/" + job->name));
    if (report)
      return print_json_or_lines(o, *report,
                                 actors::explain_report_lines(*report));
    if (report.error().code != k8s::ec::not_found)
      return report_admin_failure(connection->where, report.error());
  }
  return report_missing_job(*job, *connection);
}

} // namespace

void add_explain_command(CLI::App& app, command_action& action) {
  auto* command = app.add_subcommand(
      "explain", "Say how a job is doing, what it waits for, and who can act");
  auto job = std::make_shared<std::string>();
  auto ns = std::make_shared<std::string>();
  command
      ->add_option("JOB", *job,
                   "NAME, NAMESPACE/NAME or KIND/NAME (tfjob/mnist)")
      ->required();
  command
      ->add_option("-n,--namespace", *ns,
                   "Namespace of the job [the context's, else default]")
      ->type_name("NAMESPACE");
  auto o = add_admin_options(*command);
  command->callback(
      [=, &action] { action = [=] { return run_explain(*o, *job, *ns); }; });
}

} // namespace troupe::cli
