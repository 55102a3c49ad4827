#include "tests/simulation/world.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

const char* const policies[] = {"Never", "OnFailure", "Always", "ExitCode"};
const char* const clean_policies[] = {"None", "Running", "All"};

json replica(int replicas, const std::string& policy) {
  return {
      {"replicas", replicas},
      {"restartPolicy", policy},
      {"template",
       {{"spec",
         {{"containers", {{{"name", "tensorflow"}, {"image", "image"}}}}}}}}};
}

bool is_true(const json& job, const std::string& type) {
  for (const auto& c :
       job.value("/status/conditions"_json_pointer, json::array()))
    if (c["type"] == type)
      return c["status"] == "True";
  return false;
}

bool finished(const json& job) {
  return is_true(job, "Succeeded") || is_true(job, "Failed");
}

std::string phase_of(const json& pod) {
  return pod.value("/status/phase"_json_pointer, std::string{});
}

bool terminating(const json& o) {
  return o["metadata"].contains("deletionTimestamp");
}

std::string label(const json& o, const std::string& key) {
  return o["metadata"]
      .value("labels", json::object())
      .value("training.kubeflow.org/" + key, std::string{});
}

/// How many replicas of the type with this label a spec wants.
int wanted(const json& spec, const std::string& type) {
  for (const auto& [name, r] : spec["tfReplicaSpecs"].items()) {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
      return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    });
    if (lower == type)
      return r.value("replicas", 1);
  }
  return 0;
}

bool suspended(const json& spec) {
  return spec.value("/runPolicy/suspend"_json_pointer, false);
}

} // namespace

world::world(std::uint64_t seed, std::shared_ptr<fixtures::fake_api> api)
    : random_(seed)
    , api_(std::move(api)) {
  api_->on_write = [this](const k8s::request& r, const std::string& plural,
                          const std::string& key,
                          const json& body) { judge(r, plural, key, body); };
  make_job();
}

void world::make_job() {
  auto pick = [this](const auto& list) {
    return std::string{list[random_() % std::size(list)]};
  };
  json specs;
  specs["Worker"] =
      replica(1 + static_cast<int>(random_() % 3), pick(policies));
  if (chance(60))
    specs["PS"] = replica(1 + static_cast<int>(random_() % 2), pick(policies));
  if (chance(40))
    specs["Chief"] = replica(1, pick(policies));
  json policy{{"cleanPodPolicy", pick(clean_policies)}};
  if (chance(25))
    policy["backoffLimit"] = static_cast<int>(random_() % 3);
  if (chance(15))
    policy["activeDeadlineSeconds"] = 1 + static_cast<int>(random_() % 60);
  if (chance(15))
    policy["ttlSecondsAfterFinished"] = static_cast<int>(random_() % 30);
  if (chance(10))
    policy["suspend"] = true;
  json spec{{"tfReplicaSpecs", specs}, {"runPolicy", policy}};
  if (chance(20))
    spec["enableDynamicWorker"] = true;
  if (chance(20))
    spec["successPolicy"] = "AllWorkers";
  api_->create("tfjobs",
               {{"apiVersion", "kubeflow.org/v1"},
                {"kind", "TFJob"},
                {"metadata", {{"name", job_name_}, {"namespace", "ns"}}},
                {"spec", spec}});
  remember_spec();
}

const json* world::job() const {
  return api_->find("tfjobs", job_key());
}

void world::remember_spec() {
  if (const auto* j = job())
    specs_.push_back((*j)["spec"]);
}

void world::complain(std::string what) {
  complaints_.push_back(std::move(what));
}

// -- the judge ----------------------------------------------------------------

void world::judge(const k8s::request& r, const std::string& plural,
                  const std::string& key, const json& body) {
  if (plural != "pods" && plural != "services")
    return;
  if (r.what == k8s::verb::remove) {
    const auto* object = api_->find(plural, key);
    if (body.value("/preconditions/uid"_json_pointer, std::string{}).empty())
      complain("deletes " + key + " without naming its UID");
    if (object)
      judge_removal(plural, *object);
  } else if (r.what == k8s::verb::create) {
    auto type = label(body, "replica-type");
    auto index = label(body, "replica-index");
    for (const auto& [other, o] : api_->all(plural))
      if (label(o, "replica-type") == type && label(o, "replica-index") == index
          && !terminating(o))
        complain("makes a second " + plural + " for " + type + "-" + index);
    bool in_range =
        std::any_of(specs_.begin(), specs_.end(), [&](const json& spec) {
          return std::stoi(index) < wanted(spec, type);
        });
    if (!in_range)
      complain("makes " + key + ", which no spec ever wanted");
  }
}

void world::judge_removal(const std::string& plural, const json& object) {
  auto name = object["metadata"]["name"].get<std::string>();
  const auto owners =
      object["metadata"].value("ownerReferences", json::array());
  if (owners.empty() || owners[0]["name"] != job_name_) {
    complain("deletes " + name + ", which is not the job's");
    return;
  }
  const auto* j = job();
  // Its job is gone or over: nobody misses it.
  if (!j || owners[0]["uid"] != (*j)["metadata"]["uid"] || finished(*j))
    return;
  if (plural == "pods" && phase_of(object) == "Failed")
    return;
  auto type = label(object, "replica-type");
  auto index = std::stoi(label(object, "replica-index"));
  bool allowed =
      std::any_of(specs_.begin(), specs_.end(), [&](const json& spec) {
        return suspended(spec) || index >= wanted(spec, type);
      });
  if (!allowed)
    complain("deletes the innocent " + plural + " " + name + ": "
             + object.dump() + " of " + j->dump());
}

std::vector<std::string> world::judge_the_end() const {
  std::vector<std::string> wrong;
  const auto* j = job();
  if (!j)
    return wrong;
  const auto& spec = (*j)["spec"];
  bool over = finished(*j);
  if (is_true(*j, "Succeeded") && is_true(*j, "Failed"))
    wrong.push_back("Succeeded and Failed at once");
  if (over && !(*j)["status"].contains("completionTime"))
    wrong.push_back("finished without completionTime");
  auto policy =
      spec.value("/runPolicy/cleanPodPolicy"_json_pointer, std::string{"None"});
  for (const char* plural : {"pods", "services"}) {
    std::map<std::string, int> per_type;
    for (const auto& [key, o] : api_->all(plural)) {
      auto type = label(o, "replica-type");
      ++per_type[type];
      bool running = plural == std::string{"pods"}
                     && (phase_of(o) == "Running" || phase_of(o) == "Pending");
      if (!over && suspended(spec))
        wrong.push_back(key + " is left though suspended");
      if (over && policy == "All")
        wrong.push_back(key + " is left under All");
      if (over && policy == "Running" && running)
        wrong.push_back(key + " is left running under Running");
      if (!over && std::stoi(label(o, "replica-index")) >= wanted(spec, type))
        wrong.push_back(key + " is out of range");
    }
    if (over || suspended(spec))
      continue;
    for (const char* type : {"worker", "ps", "chief"})
      if (per_type[type] != wanted(spec, type))
        wrong.push_back(std::string{plural} + " of " + type + ": "
                        + std::to_string(per_type[type]) + " instead of "
                        + std::to_string(wanted(spec, type)));
  }
  return wrong;
}

// -- what happens -------------------------------------------------------------

void world::step() {
  auto dice = random_() % 100;
  if (dice < 60)
    pod_step();
  else if (dice < 75)
    collect_garbage();
  else if (!calm_ && dice < 85)
    user_step();
}

void world::set_phase(const std::string& key, const char* phase,
                      int exit_code) {
  api_->change("pods", key, [&](json& pod) {
    auto& status = pod["status"];
    pod["spec"]["nodeName"] = "node";
    status["phase"] = phase;
    json state;
    if (std::string{phase} == "Running")
      state["running"] = json::object();
    else if (exit_code >= 0)
      state["terminated"] = {{"exitCode", exit_code}};
    else {
      status["reason"] = "Evicted";
      status.erase("containerStatuses");
      return;
    }
    int restarts =
        status.value("/containerStatuses/0/restartCount"_json_pointer, 0);
    status["containerStatuses"] = json::array({{{"name", "tensorflow"},
                                                {"restartCount", restarts},
                                                {"state", state}}});
  });
}

bool world::pod_step() {
  std::vector<std::string> keys;
  for (const auto& [key, pod] : api_->all("pods"))
    if (terminating(pod) || phase_of(pod) == "Pending"
        || phase_of(pod) == "Running")
      keys.push_back(key);
  if (keys.empty())
    return false;
  auto key = keys[random_() % keys.size()];
  const auto& pod = *api_->find("pods", key);
  if (terminating(pod)) {
    if (!calm_ && phase_of(pod) == "Running" && chance(30))
      set_phase(key, "Failed", 143); // SIGTERM is reported before the end.
    else
      api_->erase("pods", key);
    return true;
  }
  if (phase_of(pod) == "Pending") {
    set_phase(key, "Running", 0);
    return true;
  }
  if (calm_)
    return false;
  auto dice = random_() % 100;
  if (dice < 25) {
    set_phase(key, "Succeeded", 0);
  } else if (dice < 45) {
    const int codes[] = {1, 2, 137, 143, -1};
    set_phase(key, "Failed", codes[random_() % 5]);
  } else if (dice < 60) {
    api_->change("pods", key, [](json& p) { // Restarted in place.
      auto& s = p["status"]["containerStatuses"][0]["restartCount"];
      s = s.get<int>() + 1;
    });
  }
  return true;
}

void world::user_step() {
  auto dice = random_() % 100;
  if (dice < 30) { // Scale.
    api_->change("tfjobs", job_key(), [this](json& j) {
      j["spec"]["tfReplicaSpecs"]["Worker"]["replicas"] =
          static_cast<int>(random_() % 5);
    });
    remember_spec();
  } else if (dice < 50) { // Suspend or resume.
    api_->change("tfjobs", job_key(), [](json& j) {
      j["spec"]["runPolicy"]["suspend"] = !suspended(j["spec"]);
    });
    remember_spec();
  } else if (dice < 75) { // Delete a pod or a service by hand.
    const char* plural = chance(70) ? "pods" : "services";
    const auto& all = api_->all(plural);
    if (all.empty())
      return;
    auto i = all.begin();
    std::advance(i, static_cast<std::ptrdiff_t>(random_() % all.size()));
    auto key = i->first;
    if (plural == std::string{"pods"} && phase_of(i->second) == "Running"
        && chance(70))
      api_->change("pods", key, [this](json& o) {
        o["metadata"]["deletionTimestamp"] = api_->now();
      });
    else
      api_->erase(plural, key);
  } else if (dice < 80) { // Delete the job, perhaps make it again.
    api_->erase("tfjobs", job_key());
    if (chance(70)) {
      make_job();
      remember_spec();
    }
  } else if (dice < 90) {
    api_->compact();
  } else if (api_->streams() > 0) {
    api_->break_stream(random_() % api_->streams());
  }
}

bool world::collect_garbage() {
  const auto* j = job();
  auto uid = j ? (*j)["metadata"]["uid"].get<std::string>() : std::string{};
  for (const char* plural : {"pods", "services"})
    for (const auto& [key, o] : api_->all(plural)) {
      const auto owners = o["metadata"].value("ownerReferences", json::array());
      if (owners.empty() || owners[0]["uid"] == uid)
        continue;
      if (phase_of(o) == "Running" && !terminating(o))
        api_->change(plural, key, [this](json& x) {
          x["metadata"]["deletionTimestamp"] = api_->now();
        });
      else
        api_->erase(plural, key);
      return true;
    }
  return false;
}

bool world::finish_what_is_begun() {
  auto before = api_->version();
  while (collect_garbage())
    ;
  for (int i = 0; i < 200; ++i)
    pod_step();
  return api_->version() != before;
}

} // namespace troupe::simulation
