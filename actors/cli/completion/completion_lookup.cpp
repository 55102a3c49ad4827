#include "actors/cli/completion/completion_lookup.hpp"

#include "actors/cli/ask/admin_connection.hpp"
#include "actors/cli/base/send_and_wait.hpp"
#include "config/logging.hpp"
#include "k8s/calls.hpp"
#include "k8s/json.hpp"
#include "k8s/rest/credentials/context_names.hpp"
#include "k8s/rest/credentials/credentials.hpp"
#include "k8s/rest/rest_api.hpp"

#include <csignal>
#include <iostream>
#include <unistd.h>

namespace troupe::cli {

namespace {

using strings = std::vector<std::string>;

/// Somebody has pressed a key and waits.
constexpr unsigned time_limit_s = 3;
constexpr std::int64_t most_namespaces = 500;

/// Whatever waits for an answer then, does so in vain.
void end_silently_when_time_is_up() {
  std::signal(SIGALRM, [](int) { ::_exit(0); });
  ::alarm(time_limit_s);
}

admin_options options_of(const value_question& q) {
  admin_options o;
  o.url = q.admin;
  o.token_file = q.admin_token_file;
  o.ca_file = q.admin_ca_file;
  o.kubeconfig = q.kubeconfig;
  o.context = q.context;
  o.operator_namespace = q.operator_namespace;
  return o;
}

strings ask_operator_for_jobs(const value_question& q) {
  auto connection = connect_to_admin(options_of(q));
  if (!connection)
    return {};
  auto list =
      send_and_wait(*connection->client, make_get_request("/admin/v1/jobs"));
  if (!list)
    return {};
  return job_candidates(*list, q.ns, connection->default_namespace, q.begun);
}

strings ask_cluster_for_namespaces(const value_question& q) {
  auto config = k8s::rest::load_client_config(q.kubeconfig, q.context);
  if (!config)
    return {};
  auto client = k8s::rest::make_rest_api(std::move(*config));
  auto list = send_and_wait(
      *client, k8s::list({{"", "v1", "namespaces", "Namespace"}, "", "", ""},
                         most_namespaces, ""));
  strings names;
  if (list)
    for (const auto& ns : k8s::array_at(*list, {"items"}))
      names.push_back(k8s::text_at(ns, {"metadata", "name"}));
  return names;
}

strings look_up_values(const value_question& q) {
  switch (q.values.source) {
  case value_source::choices:
    return q.values.choices;
  case value_source::contexts:
    return k8s::rest::find_context_names(q.kubeconfig);
  case value_source::namespaces:
    return ask_cluster_for_namespaces(q);
  case value_source::jobs:
    return ask_operator_for_jobs(q);
  default:
    return {};
  }
}

} // namespace

int print_offered_values(const value_question& q) {
  if (q.values.source == value_source::files
      || q.values.source == value_source::directories) {
    std::cout << (q.values.source == value_source::files ? ":files\n"
                                                         : ":directories\n");
    return 0;
  }
  log::configure("error", "text", "iso8601");
  end_silently_when_time_is_up();
  auto found = select_shell_safe_candidates(look_up_values(q), q.begun);
  for (const auto& word : found)
    std::cout << q.before << word << "\n";
  if (found.empty())
    std::cout << ":nothing\n";
  std::cout.flush();
  return 0;
}

} // namespace troupe::cli
