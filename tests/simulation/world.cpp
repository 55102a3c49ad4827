#include "tests/simulation/world.hpp"

#include <algorithm>

namespace troupe::simulation {

world::world(std::uint64_t seed, const core::framework& row,
             std::shared_ptr<fixtures::fake_api> api)
    : random_(seed)
    , book_(row)
    , api_(std::move(api))
    , judge_(book_, api_, job_key()) {
  api_->on_write = [this](const k8s::request& r, const std::string& plural,
                          const std::string& key, const json& body) {
    judge_.operator_writes(r, plural, key, body);
  };
}

void world::begin() {
  make_job();
}

void world::make_job() {
  const auto& type = book_.row().type;
  api_->create(plural(), {{"apiVersion", type.api_version()},
                          {"kind", type.kind},
                          {"metadata", {{"name", "job"}, {"namespace", "ns"}}},
                          {"spec", book_.draw(random_)}});
  judge_.job_changed();
}

void world::step() {
  auto dice = random_() % 100;
  if (dice < 60)
    pod_step();
  else if (dice < 75)
    collect_garbage();
  else if (!calm_ && dice < 86)
    user_step();
}

void world::calm_down() {
  calm_ = true;
  judge_.calm_begins();
}

// -- kubelets -----------------------------------------------------------------

void world::set_phase(const std::string& key, const char* phase,
                      int exit_code) {
  api_->change("pods", key, [&](json& pod) {
    auto& status = pod["status"];
    pod["spec"]["nodeName"] = "node";
    status["phase"] = phase;
    if (!status.contains("startTime"))
      status["startTime"] = api_->now();
    json state;
    if (std::string{phase} == "Running")
      state["running"] = json::object();
    else if (exit_code >= 0)
      state["terminated"] = {{"exitCode", exit_code},
                             {"finishedAt", api_->now()}};
    else {
      status["reason"] = "Evicted";
      status.erase("containerStatuses");
      return;
    }
    auto& containers = status["containerStatuses"];
    int restarts =
        containers.empty() ? 0 : number(at(containers[0], "restartCount"));
    containers = json::array({{{"name", book_.row().container},
                               {"restartCount", restarts},
                               {"state", state}}});
  });
  judge_.pod_changed(key);
}

/// As the scheduler, the taint manager, the eviction API, pod GC and kubelets
/// under pressure do it; it is deleted later, or not at all.
void world::disrupt(const std::string& key) {
  api_->change("pods", key, [](json& pod) {
    pod["status"]["conditions"] =
        json::array({{{"type", "DisruptionTarget"}, {"status", "True"}}});
  });
  const int codes[] = {1, 137, -1};
  set_phase(key, "Failed", codes[random_() % std::size(codes)]);
}

void world::restart_in_place(const std::string& key) {
  api_->change("pods", key, [](json& p) {
    auto& s = p["status"]["containerStatuses"][0]["restartCount"];
    s = s.get<int>() + 1;
  });
  judge_.pod_changed(key);
}

void world::end_pod(const std::string& key) {
  auto dice = random_() % 100;
  const int codes[] = {1, 2, 127, 128, 137, 143, 255, -1};
  if (dice < 25)
    set_phase(key, "Succeeded", 0);
  else if (dice < 45)
    set_phase(key, "Failed", codes[random_() % std::size(codes)]);
  else if (dice < 60)
    restart_in_place(key);
  else if (dice < 66)
    disrupt(key);
}

bool world::pod_step() {
  key_list keys;
  for (const auto& [key, pod] : api_->all("pods")) {
    const auto& phase = phase_of(pod);
    bool disrupted = at(pod, "status").contains("conditions");
    if (leaving(pod) || phase == "Pending" || (phase == "Running" && !calm_)
        || (phase == "Failed" && disrupted && !calm_))
      keys.push_back(key);
  }
  if (keys.empty())
    return false;
  auto key = keys[random_() % keys.size()];
  const auto& pod = *api_->find("pods", key);
  const auto& phase = phase_of(pod);
  if (leaving(pod)) {
    if (!calm_ && phase == "Running" && chance(30))
      set_phase(key, "Failed", 143); // SIGTERM is reported before the end.
    else
      api_->erase("pods", key);
  } else if (phase == "Failed") {
    api_->erase("pods", key); // Pod GC ends what it began.
  } else if (phase == "Pending") {
    if (!calm_ && chance(5))
      set_phase(key, "Failed", -1); // No room on the node after all.
    else if (!calm_ && chance(2))
      disrupt(key);
    else
      set_phase(key, "Running", 0);
  } else {
    end_pod(key);
  }
  return true;
}

// -- the garbage collector ----------------------------------------------------

/// All that may have an owner.
world::key_list world::child_kinds() const {
  auto kinds = api_->plurals();
  kinds.erase(std::remove_if(kinds.begin(), kinds.end(),
                             [this](const std::string& kind) {
                               return kind == plural() || kind == "events";
                             }),
              kinds.end());
  return kinds;
}

bool world::collect_garbage() {
  const auto* j = api_->find(plural(), job_key());
  for (const auto& kind : child_kinds())
    for (const auto& [key, o] : api_->all(kind)) {
      const auto& owner = owner_of(o);
      if (owner.is_null() || (j && at(owner, "uid") == uid_of(*j)))
        continue;
      auto which = key;
      if (phase_of(o) == "Running" && !leaving(o))
        api_->change(kind, which, [this](json& x) {
          x["metadata"]["deletionTimestamp"] = api_->now();
        });
      else
        api_->erase(kind, which);
      return true;
    }
  return false;
}

bool world::finish_what_is_begun() {
  auto before = api_->version();
  while (collect_garbage())
    ;
  evict_strangers();
  while (pod_step())
    ;
  return api_->version() != before;
}

} // namespace troupe::simulation
