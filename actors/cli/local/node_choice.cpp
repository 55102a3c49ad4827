#include "actors/cli/local/node_choice.hpp"

#include "config/flags.hpp"
#include "k8s/duration.hpp"

#include <charconv>
#include <filesystem>
#include <string_view>

namespace troupe::cli {

namespace {

using k8s::ec;
using k8s::failure;
using k8s::result;

constexpr std::string_view once_suffix = ",once";

failure invalid_simulated_failure(const std::string& text,
                                  const std::string& why) {
  return {ec::invalid, "--simulated-failure " + text + ": " + why
                           + "; write POD=CODE, POD=CODE@DURATION or "
                             "POD=CODE,once"};
}

} // namespace

result<k8s::node::simulated_failure>
parse_simulated_failure(const std::string& text) {
  k8s::node::simulated_failure f;
  auto rest = text;
  if (rest.size() > once_suffix.size()
      && rest.compare(rest.size() - once_suffix.size(), rest.npos, once_suffix)
             == 0) {
    f.once = true;
    rest.erase(rest.size() - once_suffix.size());
  }
  auto equals = rest.find('=');
  if (equals == rest.npos || equals == 0)
    return invalid_simulated_failure(text, "names no pod");
  f.pod_pattern = rest.substr(0, equals);
  rest.erase(0, equals + 1);
  if (auto at = rest.find('@'); at != rest.npos) {
    auto after = k8s::parse_duration(rest.substr(at + 1));
    if (!after)
      return invalid_simulated_failure(text,
                                       "the time " + after.error().message);
    f.after = *after;
    rest.erase(at);
  }
  const auto* end = rest.data() + rest.size();
  auto [read, error] = std::from_chars(rest.data(), end, f.exit_code);
  if (error != std::errc{} || read != end || f.exit_code < 1
      || f.exit_code > 255)
    return invalid_simulated_failure(text, "the exit code must be 1 to 255");
  return f;
}

result<std::optional<k8s::node::simulation>>
parse_simulation(const node_choice& choice) {
  if (choice.kind == "host") {
    if (!choice.run_time.empty() || !choice.failures.empty())
      return failure{ec::invalid, "--simulated-run-time and "
                                  "--simulated-failure need --node simulated"};
    return std::optional<k8s::node::simulation>{};
  }
  if (!choice.volumes.empty())
    return failure{ec::invalid,
                   "--volume is for programs, and --node simulated "
                   "runs none; leave one out"};
  if (!choice.work_directory.empty())
    return failure{ec::invalid,
                   "--workdir is for programs, and --node simulated "
                   "runs none; leave one out"};
  if (!choice.isolation.empty())
    return failure{ec::invalid, "--isolation is for programs, and --node "
                                "simulated runs none; leave one out"};
  k8s::node::simulation s;
  if (!choice.run_time.empty()) {
    auto time = k8s::parse_duration(choice.run_time);
    if (!time)
      return config::invalid_argument_failure(
          "--simulated-run-time", choice.run_time, time.error().message);
    s.run_time = *time;
  }
  for (const auto& text : choice.failures) {
    auto one = parse_simulated_failure(text);
    if (!one)
      return one.error();
    s.failures.push_back(std::move(*one));
  }
  return std::optional{std::move(s)};
}

result<std::map<std::string, std::string>>
parse_volumes(const node_choice& choice) {
  std::map<std::string, std::string> all;
  for (const auto& text : choice.volumes) {
    auto wrong = [&](const std::string& why) {
      return failure{ec::invalid, "--volume " + text + ": " + why};
    };
    auto equals = text.find('=');
    if (equals == text.npos || equals == 0 || equals + 1 == text.size())
      return wrong("write CLAIM=DIRECTORY");
    std::error_code error;
    auto path = std::filesystem::absolute(text.substr(equals + 1), error);
    if (error || !std::filesystem::is_directory(path, error))
      return wrong(path.string() + " is no directory; make it first");
    if (!all.emplace(text.substr(0, equals), path.lexically_normal()).second)
      return wrong("the claim has a directory already");
  }
  if (!all.empty() && choice.isolation == "none")
    return failure{ec::invalid, "--volume: nothing is mounted with --isolation "
                                "none; choose namespaces or preload"};
  return all;
}

result<std::string> parse_work_directory(const node_choice& choice) {
  if (choice.work_directory.empty())
    return std::string{};
  std::error_code error;
  // A link, as pods may not see what it leads through.
  auto path = std::filesystem::canonical(choice.work_directory, error);
  if (error || !std::filesystem::is_directory(path, error))
    return failure{ec::invalid, "--workdir " + choice.work_directory
                                    + " is no directory; make it first"};
  return path.string();
}

k8s::node::isolation_kind
parse_isolation_kind_or_automatic(const std::string& flag) {
  using k8s::node::isolation_kind;
  for (auto kind : {isolation_kind::namespaces, isolation_kind::preload,
                    isolation_kind::none})
    if (flag == k8s::node::isolation_name(kind))
      return kind;
  return isolation_kind::automatic;
}

std::vector<std::string>
describe_isolation(const k8s::node::isolation_report& report) {
  using k8s::node::isolation_kind;
  std::vector<std::string> lines;
  switch (report.kind) {
  case isolation_kind::namespaces:
    lines.push_back("Isolation: namespaces, a network for each pod; "
                    + std::string{report.written_work_directory.empty()
                                      ? "processes, /tmp and a working "
                                        "directory for each container"
                                      : "processes and /tmp for each "
                                        "container"});
    if (!report.shared_private_directory.empty())
      lines.push_back("  (but " + report.shared_private_directory
                      + ": it is the working directory, containers see this "
                        "machine's)");
    if (report.is_work_directory_shared)
      lines.push_back("  (but the working directory: the kernel mounts no "
                      "overlay there, pods share it)");
    break;
  case isolation_kind::none:
    lines.push_back("Isolation: none, pods share this machine's network and "
                    "names; volumes are not mounted");
    break;
  default:
    lines.push_back("Isolation: preload, by a library in each dynamically "
                    "linked program; static programs see this machine");
  }
  if (!report.why_not.empty())
    lines.push_back("  (no namespaces: " + report.why_not + ")");
  if (!report.why_no_preload.empty())
    lines.push_back(report.kind == isolation_kind::none
                        ? "  (no preload: " + report.why_no_preload + ")"
                        : "  (" + report.why_no_preload
                              + ": its scripts see this machine)");
  if (!report.taken_subnet.empty())
    lines.push_back(
        "  (pods are in " + report.taken_subnet
        + ", which this machine uses, too: what it has there cannot "
          "be reached from pods)");
  if (!report.why_no_gateway.empty())
    lines.push_back("  (no way out to other networks: " + report.why_no_gateway
                    + ")");
  if (!report.written_work_directory.empty())
    lines.push_back("Pods work in " + report.written_work_directory
                    + ", and what they write there stays there");
  return lines;
}

} // namespace troupe::cli
