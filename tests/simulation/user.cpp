// What the user does to the job, and what fate does to the watches.
#include "tests/simulation/world.hpp"

#include <algorithm>

namespace troupe::simulation {

void world::user_step() {
  auto dice = random_() % 100;
  if (dice < 24)
    scale();
  else if (dice < 40)
    edit_job([](json& spec) {
      auto& suspend = spec["runPolicy"]["suspend"];
      suspend = suspend != true;
    });
  else if (dice < 44)
    edit_policy();
  else if (dice < 68)
    delete_child();
  else if (dice < 71)
    orphan();
  else if (dice < 72)
    relabel();
  else if (dice < 74)
    squat();
  else if (dice < 76)
    meddle();
  else if (dice < 80)
    delete_job();
  else
    trouble_streams();
}

void world::edit_job(const std::function<void(json&)>& how) {
  api_->change(plural(), job_key(), [&](json& j) { how(j["spec"]); });
  judge_.job_changed();
}

void world::scale() {
  edit_job([this](json& spec) {
    auto& types = spec[book_.row().spec_field];
    auto i = types.begin();
    std::advance(i, static_cast<std::ptrdiff_t>(random_() % types.size()));
    int n = book_.draw_count(i.key(), random_);
    i.value()["replicas"] =
        n > 0 && n == number(at(*i, "replicas")) && n > 1 ? n + 1 : n;
  });
}

/// Changes one of the limits that may change at any time.
void world::edit_policy() {
  edit_job([this](json& spec) {
    auto& policy = spec["runPolicy"];
    switch (random_() % 4) {
    case 0:
      policy["backoffLimit"] = static_cast<int>(random_() % 4);
      break;
    case 1:
      policy["activeDeadlineSeconds"] = 1 + static_cast<int>(random_() % 300);
      break;
    case 2:
      policy["ttlSecondsAfterFinished"] = static_cast<int>(random_() % 60);
      break;
    case 3:
      policy["cleanPodPolicy"] = chance(50) ? "All" : "Running";
      break;
    }
  });
}

std::string world::some_child(const std::string& kind) {
  const auto& all = api_->all(kind);
  if (all.empty())
    return {};
  auto i = all.begin();
  std::advance(i, static_cast<std::ptrdiff_t>(random_() % all.size()));
  return i->first;
}

void world::delete_child() {
  auto kinds = child_kinds();
  if (kinds.empty())
    return;
  auto kind =
      chance(50) ? std::string{"pods"} : kinds[random_() % kinds.size()];
  auto key = some_child(kind);
  if (key.empty())
    return;
  bool graceful =
      kind == "pods" && phase_of(*api_->find(kind, key)) == "Running";
  if (graceful && chance(70))
    api_->change(kind, key, [this](json& o) {
      o["metadata"]["deletionTimestamp"] = api_->now();
    });
  else
    api_->erase(kind, key);
}

void world::delete_job() {
  api_->erase(plural(), job_key());
  judge_.job_changed();
  if (chance(70))
    make_job();
}

/// Takes a child away from its job, as a restored backup would; its labels
/// still say whose it is.
void world::orphan() {
  const char* kind = chance(70) ? "pods" : "services";
  auto key = some_child(kind);
  if (key.empty())
    return;
  judge_.orphaned(*api_->find(kind, key));
  api_->change(kind, key,
               [](json& o) { o["metadata"].erase("ownerReferences"); });
  judge_.pod_changed(key);
}

/// Says that a child is another job's, so that its job lets go of it.
void world::relabel() {
  const char* kind = chance(70) ? "pods" : "services";
  auto key = some_child(kind);
  if (key.empty())
    return;
  judge_.orphaned(*api_->find(kind, key));
  api_->change(kind, key, [](json& o) {
    o["metadata"]["labels"]["training.kubeflow.org/job-name"] = "other";
  });
}

/// Changes what a job has beside pods and services.
void world::meddle() {
  auto kinds = child_kinds();
  kinds.erase(std::remove_if(kinds.begin(), kinds.end(),
                             [](const std::string& kind) {
                               return kind == "pods" || kind == "services";
                             }),
              kinds.end());
  if (kinds.empty())
    return;
  const auto& kind = kinds[random_() % kinds.size()];
  auto key = some_child(kind);
  if (key.empty())
    return;
  api_->change(kind, key, [](json& o) {
    for (const char* part : {"data", "spec", "rules", "subjects"})
      if (o.contains(part) && !o[part].empty())
        o[part].erase(o[part].begin());
  });
}

/// Who sat in a replica's place by mistake has noticed by now.
void world::evict_strangers() {
  for (const char* kind : {"pods", "services"}) {
    key_list strangers;
    for (const auto& [key, o] : api_->all(kind))
      if (owner_of(o).is_null() && label(o, "job-name") != "job")
        strangers.push_back(key);
    for (const auto& key : strangers)
      api_->erase(kind, key);
  }
}

/// Makes something of its own under a name that a replica needs.
void world::squat() {
  const auto* j = api_->find(plural(), job_key());
  if (!j)
    return;
  auto m = book_.read((*j)["spec"]);
  if (m.posts.empty())
    return;
  auto i = m.posts.begin();
  std::advance(i, static_cast<std::ptrdiff_t>(random_() % m.posts.size()));
  const char* kind = chance(70) ? "pods" : "services";
  auto name = "job-" + i->first + "-0";
  if (!api_->find(kind, "ns/" + name))
    api_->create(kind, {{"metadata", {{"name", name}, {"namespace", "ns"}}},
                        {"spec", json::object()}});
}

void world::trouble_streams() {
  auto dice = random_() % 100;
  if (dice < 30) {
    api_->compact();
    return;
  }
  if (api_->streams() == 0)
    return;
  auto which = random_() % api_->streams();
  if (dice < 70)
    api_->break_stream(which);
  else if (dice < 90)
    api_->repeat(which);
  else
    api_->garble(which);
}

} // namespace troupe::simulation
