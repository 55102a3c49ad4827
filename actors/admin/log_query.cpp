#include "actors/admin/log_query.hpp"

#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <charconv>

namespace troupe::actors {

using k8s::array_at;
using k8s::bool_at;
using k8s::number_at;
using k8s::text_at;
using k8s::value_at;
using nlohmann::json;

namespace {

constexpr int most_lines = 5000;
constexpr std::size_t most_name = 253;

k8s::failure wrong_parameter_failure(const char* name, const std::string& value,
                                     const std::string& wanted) {
  return {k8s::ec::invalid, std::string{"the parameter "} + name + " is \""
                                + value.substr(0, most_name) + "\"; must be "
                                + wanted};
}

std::string container_state_or_waiting(const json& status) {
  for (const char* state : {"running", "waiting", "terminated"})
    if (!value_at(status, {"state", state}).is_null())
      return state;
  return "waiting";
}

void add_containers(json& out, const json& pod, bool of_init_containers) {
  const char* list = of_init_containers ? "initContainers" : "containers";
  const char* statuses =
      of_init_containers ? "initContainerStatuses" : "containerStatuses";
  for (const auto& c : array_at(pod, {"spec", list})) {
    json row{{"name", text_at(c, {"name"})},
             {"init", of_init_containers},
             {"restarts", 0},
             {"state", "waiting"}};
    for (const auto& s : array_at(pod, {"status", statuses}))
      if (text_at(s, {"name"}) == text_at(c, {"name"})) {
        row["restarts"] = number_at(s, {"restartCount"});
        row["state"] = container_state_or_waiting(s);
      }
    out.push_back(std::move(row));
  }
}

bool has_container(const json& containers, const std::string& name) {
  for (const auto& c : containers)
    if (text_at(c, {"name"}) == name)
      return true;
  return false;
}

std::string default_container_or_empty(const json& pod, const json& containers,
                                       const logged_pod& known) {
  for (const auto& name :
       {text_at(pod, {"metadata", "annotations",
                      "kubectl.kubernetes.io/default-container"}),
        known.main_container})
    if (!name.empty() && has_container(containers, name))
      return name;
  return containers.empty() ? "" : text_at(containers.front(), {"name"});
}

std::string join_container_names(const json& containers) {
  std::vector<std::string> names;
  for (const auto& c : containers)
    names.push_back(text_at(c, {"name"}));
  return k8s::join(names, ", ");
}

} // namespace

k8s::result<log_query> parse_log_query(const k8s::http::request& q) {
  log_query out;
  out.container = q.query_param("container");
  if (out.container.size() > most_name)
    return wrong_parameter_failure("container", out.container,
                                   "the name of a container");
  if (auto text = q.query_param("previous"); !text.empty()) {
    if (text != "true" && text != "false")
      return wrong_parameter_failure("previous", text, "true or false");
    out.previous = text == "true";
  }
  if (auto text = q.query_param("lines"); !text.empty()) {
    auto end = text.data() + text.size();
    auto [read, error] = std::from_chars(text.data(), end, out.lines);
    if (error != std::errc{} || read != end || out.lines < 1
        || out.lines > most_lines)
      return wrong_parameter_failure(
          "lines", text, "a number from 1 to " + std::to_string(most_lines));
  }
  return out;
}

k8s::result<logged_pod> find_logged_pod(const json& report,
                                        const std::string& pod) {
  for (const auto& p : array_at(report, {"pods"}))
    if (text_at(p, {"name"}) == pod && bool_at(p, {"owned"})) {
      logged_pod found{text_at(p, {"uid"}), text_at(report, {"mainContainer"})};
      const auto& type = text_at(p, {"type"});
      if (const auto& main = text_at(report, {"mainContainers", type.c_str()});
          !main.empty())
        found.main_container = main;
      return found;
    }
  return k8s::failure{k8s::ec::not_found, text_at(report, {"kind"}) + " "
                                              + text_at(report, {"namespace"})
                                              + "/" + text_at(report, {"name"})
                                              + " has no pod "
                                              + pod.substr(0, most_name)};
}

k8s::result<json> choose_log_container(const json& pod, const logged_pod& known,
                                       const std::string& wanted) {
  if (text_at(pod, {"metadata", "uid"}) != known.uid)
    return k8s::failure{k8s::ec::not_found,
                        "another pod has this name now; the job has not seen "
                        "it yet"};
  auto containers = json::array();
  add_containers(containers, pod, false);
  add_containers(containers, pod, true);
  auto chosen = wanted.empty()
                    ? default_container_or_empty(pod, containers, known)
                    : wanted;
  if (!has_container(containers, chosen))
    return k8s::failure{k8s::ec::not_found,
                        "the pod has no container " + chosen + "; it has "
                            + join_container_names(containers)};
  return json{{"container", chosen}, {"containers", std::move(containers)}};
}

json pod_log_problem_json(const k8s::failure& why) {
  if (why.code == k8s::ec::forbidden)
    return {{"why", "The operator may not read the logs of pods. kubectl apply "
                    "-k deploy/overlays/pod-logs grants it the right (get "
                    "pods/log); kubectl logs needs none but yours. The API "
                    "server says: "
                        + why.message},
            {"again", false}};
  return {{"why", why.message},
          {"again",
           why.code != k8s::ec::not_found && why.code != k8s::ec::cancelled}};
}

} // namespace troupe::actors
