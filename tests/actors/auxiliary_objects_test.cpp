#include "tests/actors/story.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

// What jobs have beside pods and services, from creation to removal.

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(belongings_test)

namespace {

json mpi_job(int workers) {
  return job_of("MPIJob", {{"mpiReplicaSpecs",
                            {{"Launcher", replica(1, "mpi")},
                             {"Worker", replica(workers, "mpi")}}}});
}

json elastic_job() {
  return job_of("PyTorchJob",
                {{"pytorchReplicaSpecs", {{"Worker", replica(2, "pytorch")}}},
                 {"elasticPolicy",
                  {{"minReplicas", 1},
                   {"maxReplicas", 3},
                   {"metrics", json::array({{{"type", "Pods"}}})}}}},
                "elastic");
}

const std::vector<std::string> mpi_parts{"configmaps", "serviceaccounts",
                                         "roles", "rolebindings"};

/// Until all is quiet; refuses such calls, and returns how many there were.
int settle_refusing(story& s, k8s::verb what, const std::string& plural,
                    const k8s::failure& why) {
  int refused = 0;
  for (;;) {
    s.on.settle_messages();
    if (!s.api->pending().empty()) {
      const auto& r = s.api->pending().front().request;
      bool such = r.method == what && r.resource == plural;
      refused += such ? 1 : 0;
      if (such)
        s.api->refuse(0, why);
      else
        s.api->answer(0);
    } else if (!s.api->lagging().empty()) {
      s.api->deliver_all();
    } else {
      return refused;
    }
  }
}

const k8s::failure forbidden{k8s::ec::forbidden, "User is not allowed", {}};

std::string host_file(story& s) {
  return s.get("configmaps", "job-config")["data"]["hostfile"];
}

} // namespace

namespace {

/// How often the server was asked for each, in whole or in part.
struct reads {
  std::map<std::string, int> whole;
  std::map<std::string, int> metadata;

  void note(const k8s::request& r) {
    bool part = r.accept.find("as=PartialObjectMetadata") != std::string::npos;
    if (r.method == k8s::verb::get || r.method == k8s::verb::list
        || r.method == k8s::verb::watch)
      ++(part ? metadata : whole)[r.resource];
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(what_is_somebody_elses_is_seen_as_metadata_only) {
  auto api = std::make_shared<fake_api>();
  reads seen;
  api->on_read = [&](const k8s::request& r) { seen.note(r); };
  stage on{api};
  for (int i = 0; i < 100; ++i)
    api->create("configmaps", {{"metadata",
                                {{"name", "theirs-" + std::to_string(i)},
                                 {"namespace", "ns"}}},
                               {"data", {{"k", std::string(5'000, 'x')}}}});
  on.begin();
  on.settle();
  for (int i = 0; i < 100; ++i)
    api->change("configmaps", "ns/theirs-" + std::to_string(i),
                [](json& m) { m["data"]["k"] = "y"; });
  on.settle();
  for (const auto& part : mpi_parts) {
    BOOST_TEST(seen.metadata[part] == 2, part); // A list and a watch.
    BOOST_TEST(seen.whole[part] == 0, part);
  }
  BOOST_TEST(seen.metadata["horizontalpodautoscalers"] == 2);
}

BOOST_AUTO_TEST_CASE(a_jobs_own_is_read_when_somebody_changed_it) {
  story s;
  reads seen;
  s.api->on_read = [&](const k8s::request& r) { seen.note(r); };
  s.make("mpijobs", mpi_job(2));
  s.all_pods("Running");
  s.on.advance(1min);
  for (const auto& part : mpi_parts) // The answers to our own calls will do.
    BOOST_TEST(seen.whole[part] == 0, part);
  auto before = host_file(s);
  s.change("configmaps", "job-config",
           [](json& m) { m["data"]["hostfile"] = "elsewhere"; });
  BOOST_TEST(host_file(s) == before);
  BOOST_TEST(seen.whole["configmaps"] == 1);
  // What changes nothing that is wanted is read, and left alone.
  auto writes = s.writes();
  s.change("roles", "job-launcher",
           [](json& m) { m["metadata"]["annotations"]["who"] = "me"; });
  BOOST_TEST(seen.whole["roles"] == 1);
  s.on.advance(1min);
  BOOST_TEST(s.writes() == writes);
  BOOST_TEST(seen.whole["roles"] == 1);
}

BOOST_AUTO_TEST_CASE(a_read_that_fails_is_made_again) {
  story s;
  s.make("mpijobs", mpi_job(1));
  auto before = host_file(s);
  s.api->change("configmaps", "ns/job-config",
                [](json& m) { m["data"]["hostfile"] = "elsewhere"; });
  s.api->deliver_all();
  s.on.settle_messages();
  BOOST_REQUIRE(s.api->pending().size() == 1u);
  BOOST_TEST(s.api->pending()[0].request.path.find(
                 "fieldSelector=metadata.name%3Djob-config")
             != std::string::npos);
  s.api->refuse(0, {k8s::ec::server_error, "not now"});
  s.on.advance(1s);
  BOOST_TEST(host_file(s) == before);
}

BOOST_AUTO_TEST_CASE(belongings_are_there_before_the_first_pod) {
  story s;
  std::vector<std::string> made;
  s.api->on_write = [&](const k8s::request& r, const std::string& plural,
                        const std::string&, const json&) {
    if (r.method == k8s::verb::create)
      made.push_back(plural);
  };
  s.make("mpijobs", mpi_job(2));
  auto first_pod = std::find(made.begin(), made.end(), "pods");
  BOOST_TEST((first_pod != made.end()));
  for (const auto& part : mpi_parts) {
    BOOST_TEST(std::count(made.begin(), first_pod, part) == 1, part);
    BOOST_TEST(std::count(made.begin(), made.end(), part) == 1, part);
  }
  BOOST_TEST(s.count("pods") == 3u);
}

BOOST_AUTO_TEST_CASE(pods_wait_for_belongings_that_are_refused) {
  story s;
  s.api->create("mpijobs", mpi_job(2));
  s.api->deliver_all();
  s.on.settle_messages();
  // The server fails whatever is asked for a while.
  for (int i = 0; i < 20; ++i) {
    while (!s.api->pending().empty())
      s.api->answer(0, fate::broken);
    s.on.settle_messages();
  }
  BOOST_TEST(s.api->calls["create pods"] == 0);
  BOOST_TEST(s.count("configmaps") == 0u);
  s.on.advance(2min);
  BOOST_TEST(s.count("pods") == 3u);
  for (const auto& part : mpi_parts)
    BOOST_TEST(s.count(part) == 1u, part);
}

BOOST_AUTO_TEST_CASE(a_lost_answer_makes_no_second_auxiliary_object) {
  story s;
  s.api->create("mpijobs", mpi_job(2));
  s.api->deliver_all();
  s.on.settle_messages();
  while (!s.api->pending().empty())
    s.api->answer(0, fate::lost_answer);
  s.on.advance(1min);
  BOOST_TEST(s.count("pods") == 3u);
  for (const auto& part : mpi_parts)
    BOOST_TEST(s.api->calls["create " + part] == 1, part);
}

BOOST_AUTO_TEST_CASE(a_strangers_object_holds_the_pods_until_it_goes) {
  story s;
  s.api->create("configmaps",
                {{"metadata", {{"name", "job-config"}, {"namespace", "ns"}}},
                 {"data", {{"theirs", "yes"}}}});
  s.make("mpijobs", mpi_job(1));
  s.on.advance(1min);
  BOOST_TEST(s.count("pods") == 0u);
  BOOST_TEST(s.events("ErrResourceExists") > 0u);
  BOOST_TEST(s.get("configmaps", "job-config")["data"].contains("theirs"));
  s.api->erase("configmaps", "ns/job-config");
  s.on.advance(20min); // It asks ever less often.
  BOOST_TEST(s.count("pods") == 2u);
  BOOST_TEST(host_file(s) == "job-worker-0 slots=1\n");
}

BOOST_AUTO_TEST_CASE(what_is_overwritten_is_corrected_by_one_call) {
  story s;
  s.make("mpijobs", mpi_job(2));
  auto before = s.writes();
  s.change("configmaps", "job-config",
           [](json& c) { c["data"]["hostfile"] = "elsewhere\n"; });
  BOOST_TEST(host_file(s) == "job-worker-0 slots=1\njob-worker-1 slots=1\n");
  s.change("roles", "job-launcher", [](json& r) {
    r["rules"] = json::array();
    r["metadata"]["annotations"]["theirs"] = "yes";
    r["metadata"]["ownerReferences"].push_back({{"uid", "another"}});
  });
  const auto& role = s.get("roles", "job-launcher");
  BOOST_TEST(role["rules"].size() == 2u);
  BOOST_TEST(role["metadata"]["annotations"]["theirs"] == "yes");
  BOOST_TEST(role["metadata"]["labels"]["app"] == "job");
  BOOST_TEST(role["metadata"]["ownerReferences"].size() == 2u);
  s.on.advance(1h);
  BOOST_TEST(s.writes() == before + 2);
  // The training operator's role grants no patch of these.
  BOOST_TEST(s.api->calls["update configmaps"] == 1);
  BOOST_TEST(s.api->calls["update roles"] == 1);
}

BOOST_AUTO_TEST_CASE(a_correction_that_comes_too_late_is_decided_anew) {
  story s;
  s.make("mpijobs", mpi_job(2));
  s.api->change("configmaps", "ns/job-config",
                [](json& c) { c["data"]["hostfile"] = "elsewhere\n"; });
  s.api->deliver_all();
  s.on.settle_messages();
  s.api->answer(0); // What somebody made of it is read first.
  s.on.settle_messages();
  BOOST_TEST_REQUIRE(s.api->pending().size() == 1u);
  s.api->change("configmaps", "ns/job-config",
                [](json& c) { c["data"]["theirs"] = "yes"; });
  s.on.settle();
  BOOST_TEST(s.api->calls["update configmaps"] == 2);
  BOOST_TEST(host_file(s) == "job-worker-0 slots=1\njob-worker-1 slots=1\n");
  BOOST_TEST(s.get("configmaps", "job-config")["data"]["theirs"] == "yes");
  BOOST_TEST(s.events("FailedUpdateConfigMap") == 0u);
}

BOOST_AUTO_TEST_CASE(a_correction_whose_answer_is_lost_is_not_made_twice) {
  story s;
  s.make("mpijobs", mpi_job(2));
  s.api->change("configmaps", "ns/job-config",
                [](json& c) { c["data"]["hostfile"] = "elsewhere\n"; });
  s.api->deliver_all();
  s.on.settle_messages();
  s.api->answer(0); // It is read first.
  s.on.settle_messages();
  s.api->answer(0, fate::lost_answer);
  s.on.settle();
  s.on.advance(1min);
  BOOST_TEST(s.api->calls["update configmaps"] == 1);
  BOOST_TEST(host_file(s) == "job-worker-0 slots=1\njob-worker-1 slots=1\n");
}

BOOST_AUTO_TEST_CASE(a_correction_that_is_refused_is_told) {
  story s;
  s.make("mpijobs", mpi_job(2));
  s.api->change("configmaps", "ns/job-config",
                [](json& c) { c["data"]["hostfile"] = "elsewhere\n"; });
  BOOST_TEST(settle_refusing(s, k8s::verb::update, "configmaps", forbidden)
             == 1);
  BOOST_TEST(s.events("FailedUpdateConfigMap") == 1u);
  BOOST_TEST(host_file(s) == "elsewhere\n");
  s.on.advance(1min);
  BOOST_TEST(host_file(s) == "job-worker-0 slots=1\njob-worker-1 slots=1\n");
}

BOOST_AUTO_TEST_CASE(a_binding_waits_until_its_role_is_seen) {
  story s;
  s.api->create("mpijobs", mpi_job(1));
  s.api->deliver_all();
  for (int i = 0; i < 20; ++i) {
    s.on.settle_messages();
    s.api->answer_all();
  }
  BOOST_TEST(s.count("roles") == 1u);
  BOOST_TEST(s.count("rolebindings") == 0u);
  s.on.settle();
  BOOST_TEST(s.count("rolebindings") == 1u);
  BOOST_TEST(s.count("pods") == 2u);
}

BOOST_AUTO_TEST_CASE(a_role_that_is_not_found_at_once_is_no_event) {
  struct row {
    int refusals;
    std::size_t told;
  } rows[] = {{1, 0}, {2, 1}};
  for (const auto& r : rows) {
    story s;
    s.api->create("mpijobs", mpi_job(1));
    const k8s::failure lagging{
        k8s::ec::not_found, "roles \"job-launcher\" not found", {}};
    for (int i = 0; i < r.refusals; ++i) {
      BOOST_TEST(settle_refusing(s, k8s::verb::create, "rolebindings", lagging)
                 == 1);
      s.on.jump(500ms);
    }
    s.on.settle();
    BOOST_TEST(s.count("rolebindings") == 1u);
    BOOST_TEST(s.count("pods") == 2u);
    BOOST_TEST(s.events("FailedCreateRoleBinding") == r.told);
  }
}

BOOST_AUTO_TEST_CASE(who_may_not_look_says_what_is_known) {
  story s;
  s.api->create("configmaps",
                {{"metadata", {{"name", "job-config"}, {"namespace", "ns"}}}});
  s.api->create("mpijobs", mpi_job(1));
  BOOST_TEST(settle_refusing(s, k8s::verb::list, "configmaps", forbidden) > 0);
  BOOST_TEST(s.events("FailedCreateConfigMap") == 1u);
  // Who may knows whose it is.
  BOOST_TEST(s.events("ErrResourceExists") > 0u);
  BOOST_TEST(s.api->calls["get configmaps"] == 0);
}

BOOST_AUTO_TEST_CASE(a_service_that_may_not_be_adopted_stays_in_use) {
  story s;
  json labels{{"training.kubeflow.org/operator-name", "tfjob-controller"},
              {"training.kubeflow.org/job-name", "job"},
              {"training.kubeflow.org/replica-type", "worker"},
              {"training.kubeflow.org/replica-index", "0"}};
  s.api->create(
      "services",
      {{"metadata",
        {{"name", "job-worker-0"}, {"namespace", "ns"}, {"labels", labels}}}});
  s.on.settle();
  s.api->create("tfjobs",
                job_of("TFJob", {{"tfReplicaSpecs",
                                  {{"Worker", replica(2, "tensorflow")}}}}));
  int refused = 0;
  for (int i = 0; i < 10; ++i) {
    refused += settle_refusing(s, k8s::verb::patch, "services", forbidden);
    s.on.jump(1min);
  }
  BOOST_TEST(refused > 1);
  BOOST_TEST(s.count("pods") == 2u);
  BOOST_TEST(s.count("services") == 2u);
  BOOST_TEST(!s.get("services", "job-worker-0")["metadata"].contains(
      "ownerReferences"));
  std::size_t told = 0;
  for (const auto& [key, e] : s.api->all("events"))
    told += e["reason"] == "FailedAdoptService" ? e.value("count", 1u) : 0;
  BOOST_TEST(told == 1u);
}

BOOST_AUTO_TEST_CASE(what_is_deleted_is_made_anew) {
  story s;
  s.make("mpijobs", mpi_job(2));
  for (const auto& part : mpi_parts) {
    auto key = s.api->all(part).begin()->first;
    s.api->erase(part, key);
    s.on.settle();
    BOOST_TEST(s.count(part) == 1u, part);
    BOOST_TEST(s.api->calls["create " + part] == 2, part);
  }
  BOOST_TEST(s.api->calls["create pods"] == 3);
}

BOOST_AUTO_TEST_CASE(files_follow_the_workers_that_run) {
  story s;
  s.make("mpijobs", mpi_job(2));
  auto script = [&]() -> std::string {
    return s.get("configmaps", "job-config")["data"]["discover_hosts.sh"];
  };
  BOOST_TEST(script() == "#!/bin/sh");
  s.set_pod("job-worker-1", "Running");
  BOOST_TEST(script() == "#!/bin/sh\necho job-worker-1:1");
  s.set_pod("job-worker-0", "Running");
  BOOST_TEST(script() == "#!/bin/sh\necho job-worker-0:1\necho job-worker-1:1");
}

BOOST_AUTO_TEST_CASE(a_restarted_operator_corrects_nothing_that_is_right) {
  story s;
  s.make("mpijobs", mpi_job(2));
  s.make("pytorchjobs", elastic_job());
  BOOST_TEST(s.count("horizontalpodautoscalers") == 1u);
  s.on.advance(5s);
  s.on.end();
  s.api->drop_pending(0);
  auto before = s.writes();
  s.on.begin();
  s.on.settle();
  s.on.advance(10s);
  BOOST_TEST(s.writes() == before);
}

BOOST_AUTO_TEST_CASE(an_autoscaler_comes_and_goes_with_its_metrics) {
  story s;
  s.make("pytorchjobs", elastic_job());
  BOOST_TEST(s.count("horizontalpodautoscalers") == 1u);
  s.change("pytorchjobs", "elastic",
           [](json& j) { j["spec"]["elasticPolicy"]["maxReplicas"] = 7; });
  BOOST_TEST(s.get("horizontalpodautoscalers", "elastic")["spec"]["maxReplicas"]
             == 7);
  s.change("pytorchjobs", "elastic",
           [](json& j) { j["spec"]["elasticPolicy"].erase("metrics"); });
  BOOST_TEST(s.count("horizontalpodautoscalers") == 0u);
  BOOST_TEST(s.count("pods") == 2u);
}

BOOST_AUTO_TEST_CASE(suspension_removes_the_autoscaler_and_leaves_the_files) {
  story s;
  s.make("mpijobs", mpi_job(2));
  s.make("pytorchjobs", elastic_job());
  for (auto [plural, name] :
       {std::pair{"mpijobs", "job"}, std::pair{"pytorchjobs", "elastic"}})
    s.change(plural, name,
             [](json& j) { j["spec"]["runPolicy"]["suspend"] = true; });
  BOOST_TEST(s.count("pods") == 0u);
  BOOST_TEST(s.count("horizontalpodautoscalers") == 0u);
  for (const auto& part : mpi_parts)
    BOOST_TEST(s.count(part) == 1u, part);
}

BOOST_AUTO_TEST_SUITE_END()
