#include "k8s/node/host_node.hpp"
#include "k8s/node/pod_fields.hpp"

#include <algorithm>

namespace troupe::k8s::node {

using std::chrono::system_clock;

bool host_node::is_full() const {
  auto active = std::count_if(runs_.begin(), runs_.end(), [](const auto& i) {
    return !i.second.run->status().is_terminal();
  });
  return static_cast<std::size_t>(active) + binding_.size()
         >= options_.max_pods;
}

void host_node::schedule(const json& pod) {
  auto uid = uid_of(pod);
  if (binding_.count(uid) > 0 || waiting_.count(uid) > 0)
    return;
  const auto& scheduler = text_at(pod, {"spec", "schedulerName"});
  if (!scheduler.empty() && scheduler != "default-scheduler")
    refuse(pod, "there is no scheduler \"" + scheduler
                    + "\" here; remove schedulerName");
  else if (is_full())
    refuse(pod, "the node runs " + std::to_string(options_.max_pods)
                    + " pods already; this one waits for another to end");
  else
    bind(pod);
}

void host_node::refuse(const json& pod, const std::string& why) {
  waiting_[uid_of(pod)] = pod;
  call_ignoring_answer(make_status_patch(
      pod, make_unschedulable_status(why, system_clock::now())));
  warn(pod, "FailedScheduling", why);
}

/// There may be room now.
void host_node::retry_waiting() {
  for (auto i = waiting_.begin(); i != waiting_.end() && !is_full();) {
    const auto& scheduler = text_at(i->second, {"spec", "schedulerName"});
    if (!scheduler.empty() && scheduler != "default-scheduler") {
      ++i;
      continue;
    }
    auto pod = std::move(i->second);
    i = waiting_.erase(i);
    bind(pod);
  }
}

void host_node::bind(const json& pod) {
  auto uid = uid_of(pod);
  auto ref = pod_ref(pod);
  binding_.insert(uid);
  json body{
      {"apiVersion", "v1"},
      {"kind", "Binding"},
      {"metadata", {{"name", ref.name}, {"uid", uid}}},
      {"target",
       {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", options_.name}}}};
  auto r = get(ref);
  r.method = verb::create;
  r.path += "/binding";
  r.body = to_text(body);
  r.resource = "pods/binding";
  call_ignoring_answer(std::move(r),
                       [this, pod](const result<std::string>& answer) {
                         after_binding(pod, answer);
                       });
}

void host_node::after_binding(const json& pod,
                              const result<std::string>& answer) {
  auto uid = uid_of(pod);
  // Where it is bound now comes as news of it.
  if (answer || binding_.erase(uid) == 0)
    return;
  if (!answer.error().is_retryable())
    return;
  waiting_[uid] = pod;
  later([this] { retry_waiting(); });
}

} // namespace troupe::k8s::node
