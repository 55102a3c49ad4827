#include "actors/admin/explain_text.hpp"
#include "actors/cli/admin_options.hpp"
#include "actors/cli/admin_text.hpp"
#include "actors/cli/commands.hpp"
#include "actors/cli/embedded_crds.hpp"
#include "actors/cli/send_and_wait.hpp"
#include "k8s/text.hpp"

#include <CLI/CLI.hpp>

namespace troupe::cli {

namespace {

int fail_without_report(const job_argument& job, k8s::api& client) {
  auto get = [&](const char* path) {
    auto answer = send_and_wait(client, make_get_request(path));
    return answer ? *answer : nlohmann::json{};
  };
  auto lines = missing_job_lines(job, get("/admin/v1/actors"),
                                 get("/admin/v1/settings"));
  return report_error("explain", 1, k8s::join(lines, "\n"));
}

int explain(const admin_options& o, const std::string& argument,
            const std::string& ns) {
  auto job = parse_job_argument(argument, ns, "default", supported_job_kinds());
  if (!job)
    return report_error("explain", 2, job.error().message);
  auto client = make_client(o.url);
  for (const auto& kind : job->kinds) {
    auto report = send_and_wait(*client, make_get_request("/admin/v1/jobs/"
                                                          + job->ns + "/" + kind
                                                          + "/" + job->name));
    if (report)
      return print_answer(o, *report, actors::explain_lines(*report));
    if (report.error().code != k8s::ec::not_found)
      return report_no_answer(o, report.error());
  }
  return fail_without_report(*job, *client);
}

} // namespace

void add_explain_command(CLI::App& app, int& code) {
  auto* command = app.add_subcommand(
      "explain", "Say how a job is doing, what it waits for, and who can act");
  auto job = std::make_shared<std::string>();
  auto ns = std::make_shared<std::string>();
  command
      ->add_option("JOB", *job,
                   "NAME, NAMESPACE/NAME or KIND/NAME (tfjob/mnist)")
      ->required();
  command->add_option("-n,--namespace", *ns, "Namespace of the job [default]")
      ->type_name("NAMESPACE");
  auto o = add_admin_options(*command);
  command->callback([o, job, ns, &code] { code = explain(*o, *job, *ns); });
}

} // namespace troupe::cli
