#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/observed/pod_events.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "k8s/text.hpp"
#include "tests/frameworks/core/observed/observed_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(pod_events_test)

BOOST_AUTO_TEST_CASE(an_exit_is_one_event) {
  observed_fixture w;
  w.observe(pod("worker", 0).running());
  const strings exit{
      "N ExitedWithCode Pod: ns.job-worker-0 exited with code 1"};
  BOOST_TEST(w.observe(pod("worker", 0).failed(1).version(2)) == (exit),
             boost::test_tools::per_element());
  BOOST_TEST(w.observe(pod("worker", 0).failed(1).version(3)) == (strings{}),
             boost::test_tools::per_element());
  BOOST_TEST(w.observe(pod("worker", 1).failed(1).orphan()) == (strings{}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(without_any_retries_the_exit_is_no_event) {
  struct row {
    int limit;
    child_builder pod;
    bool events;
  } rows[] = {{0, pod("worker", 0).failed(1), false},
              {-1, pod("worker", 0).failed(1), false},
              {1, pod("worker", 0).failed(1), true},
              {0, pod("worker", 0).succeeded(), true},
              {0, pod("worker", 0).failed(143).deleting(), true}};
  for (auto& r : rows) {
    observed_fixture w;
    w.j = make_job().workers(2).backoff_limit(r.limit);
    BOOST_TEST(w.observe(r.pod).size() == (r.events ? 1u : 0u));
  }
}

BOOST_AUTO_TEST_CASE(a_disruption_is_one_event) {
  observed_fixture w;
  w.observe(pod("worker", 0).running());
  auto ended = pod("worker", 0).failed(143).disrupted("DeletionByPodGC");
  ended.state().conditions[0].message = "node not found";
  const strings events{
      "N ExitedWithCode Pod: ns.job-worker-0 exited with code 143",
      "N PodDisrupted Pod: ns.job-worker-0 was disrupted "
      "(DeletionByPodGC) and does not count as failed: node not "
      "found"};
  BOOST_TEST(w.observe(ended.version(2)) == (events),
             boost::test_tools::per_element());
  BOOST_TEST(w.observe(ended.version(3)) == (strings{}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_exit_of_a_pod_that_failed_with_the_job_is_kept) {
  struct row {
    k8s::pod_phase phase;
    bool known, deleting;
    std::chrono::seconds after; // The end of the job.
    bool events;
  } rows[] = {
      {k8s::pod_phase::failed, true, false, 0s, true},
      {k8s::pod_phase::failed, true, false, 1s, true},
      {k8s::pod_phase::failed, true, false, -5s, true},
      // Later than that, it had no part in it; nor had one that is cleaned up.
      {k8s::pod_phase::failed, true, false, 2s, false},
      {k8s::pod_phase::failed, true, true, 0s, false},
      {k8s::pod_phase::succeeded, true, false, 0s, false},
      // Another process has recorded it before.
      {k8s::pod_phase::failed, false, false, 0s, false},
  };
  core::job_status over;
  over.completion_time = base_time;
  for (const auto& r : rows) {
    core::child_view v;
    v.phase = r.phase;
    v.terminating = r.deleting;
    v.ended = base_time + r.after;
    std::vector<core::job_event> events{{false, "ExitedWithCode", ""},
                                        {true, "BackOff", ""}};
    auto left = core::keep_final_exit_events(events, r.known, v, over);
    BOOST_TEST(left.size() == (r.events ? 1u : 0u));
  }
}

BOOST_AUTO_TEST_CASE(a_suspended_job_has_no_events) {
  observed_fixture w;
  w.j = make_job().workers(2).suspended();
  BOOST_TEST(w.observe(pod("worker", 0).failed(143)) == (strings{}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_keeps_a_pod_is_named) {
  using kind = k8s::container_status::state_kind;
  struct row {
    const char* description;
    const char* restart;
    kind main;
    int code;
    kind other;
    const char* problem;
    core::restart_scope scope = core::restart_scope::pod;
  } rows[] = {
      {"success", "Never", kind::terminated, 0, kind::running,
       "container tensorflow has ended with exit code 0, but mesh keeps the "
       "pod"},
      {"failure", "Never", kind::terminated, 3, kind::running,
       "container tensorflow has ended with exit code 3, but mesh keeps the "
       "pod"},
      {"by code", "ExitCode", kind::terminated, 137, kind::waiting,
       "container tensorflow has ended with exit code 137, but mesh keeps the "
       "pod"},
      {"success under OnFailure", "OnFailure", kind::terminated, 0,
       kind::running,
       "container tensorflow has ended with exit code 0, but mesh keeps the "
       "pod"},
      {"is started again", "OnFailure", kind::terminated, 3, kind::running,
       "Error pod job-worker-0 container tensorflow exitCode: 3 terminated "
       "message: "},
      {"ends its attempt", "OnFailure", kind::terminated, 3, kind::running,
       "container tensorflow has ended with exit code 3, but mesh keeps the "
       "pod",
       core::restart_scope::job},
      {"is always started again", "Always", kind::terminated, 0, kind::running,
       ""},
      {"runs", "Never", kind::running, 0, kind::running, ""},
      {"both have ended", "Never", kind::terminated, 0, kind::terminated, ""},
      {"the other has ended", "Never", kind::running, 0, kind::terminated, ""},
  };
  for (const auto& r : rows) {
    observed_fixture w;
    w.j = make_job().workers(2).restart_policy(r.restart);
    core::failure_policy policy;
    policy.scope = r.scope;
    w.j.policy.failure = std::make_shared<const core::failure_policy>(policy);
    auto p = pod("worker", 0).in(k8s::pod_phase::running);
    k8s::container_status main;
    main.name = "tensorflow";
    main.state = r.main;
    main.exit_code = r.code;
    k8s::container_status other;
    other.name = "mesh";
    other.state = r.other;
    p.state().containers = {other, main};
    auto events = w.observe(p);
    const auto& seen = *w.seen.pods().begin();
    BOOST_TEST(seen.problem->message == r.problem, r.description);
    bool named = seen.problem->reason == "ContainerKeepsPod";
    BOOST_TEST(std::count(events.begin(), events.end(),
                          "N ContainerKeepsPod Pod: ns.job-worker-0: "
                              + seen.problem->message)
                   == (named ? 1 : 0),
               r.description);
    BOOST_TEST(w.observe(p.version(2)) == strings{},
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(the_words_of_a_failed_pod_are_kept) {
  struct row {
    k8s::pod_phase phase;
    const char* reason;
    const char* message;
    const char* problem;
  } rows[] = {
      {k8s::pod_phase::failed, "Evicted", "low on memory",
       "Evicted: low on memory"},
      {k8s::pod_phase::failed, "OutOfcpu", "", "OutOfcpu: "},
      {k8s::pod_phase::failed, "", "was terminated", "Failed: was terminated"},
      {k8s::pod_phase::failed, "", "", ": "},
      {k8s::pod_phase::succeeded, "Odd", "odd", ": "},
      {k8s::pod_phase::running, "NodeLost", "odd", ": "},
  };
  for (const auto& r : rows) {
    observed_fixture w;
    auto p = pod("worker", 0).in(r.phase);
    p.state().reason = r.reason;
    p.state().message = r.message;
    BOOST_TEST(w.observe(p) == strings{}, boost::test_tools::per_element());
    const auto& problem = *w.seen.pods().begin()->problem;
    BOOST_TEST(problem.reason + ": " + problem.message == r.problem);
  }
}

BOOST_AUTO_TEST_CASE(what_stops_a_pod_is_one_event) {
  using kind = k8s::container_status::state_kind;
  observed_fixture w;
  auto waiting = pod("worker", 0);
  k8s::container_status c;
  c.name = "tensorflow";
  c.state = kind::waiting;
  c.reason = "ImagePullBackOff";
  c.message = "no such image";
  waiting.state().containers = {c};
  const strings events{"W ImagePullBackOff Error pod job-worker-0 container "
                       "tensorflow waiting message: no such image"};
  BOOST_TEST(w.observe(waiting) == (events), boost::test_tools::per_element());
  BOOST_TEST(w.observe(waiting.version(2)) == (strings{}),
             boost::test_tools::per_element());

  auto crashed = pod("worker", 1).in(k8s::pod_phase::running);
  c.state = kind::terminated;
  c.reason = "Error";
  c.message = "";
  c.exit_code = 3;
  crashed.state().containers = {c};
  BOOST_TEST(
      w.observe(crashed)
          == (strings{"N ExitedWithCode Pod: ns.job-worker-1 exited with "
                      "code 3",
                      "W Error Error pod job-worker-1 container tensorflow "
                      "exitCode: 3 terminated message: "}),
      boost::test_tools::per_element());

  auto unscheduled = pod("worker", 2);
  unscheduled.state().conditions = {
      {"Old", "True", "Fine", "", base_time},
      {"PodScheduled", "False", "Unschedulable", "no node", base_time + 1s}};
  BOOST_TEST(w.observe(unscheduled)
                 == (strings{"W Unschedulable Error pod job-worker-2 condition "
                             "message: no node"}),
             boost::test_tools::per_element());

  auto starting = pod("worker", 3); // Waiting without a message is normal.
  c.state = kind::waiting;
  c.reason = "ContainerCreating";
  c.message = "";
  starting.state().containers = {c};
  BOOST_TEST(w.observe(starting) == (strings{}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_user_is_told_when_our_init_container_gives_up) {
  using kind = k8s::container_status::state_kind;
  observed_fixture w;
  w.j = make_job_of("PyTorchJob").type("Master", 1).type("Worker", 2);
  core::record_own_init_containers(w.j, {});
  auto waits = [](int restarts, kind state, int exit_code, int version) {
    k8s::container_status c;
    c.name = "init-pytorch";
    c.restarts = restarts;
    c.state = state;
    c.exit_code = exit_code;
    auto result = pod("worker", 0).version(version);
    result.state().init_containers = {c};
    return result;
  };
  const std::string pod_text = "Pod: ns.job-worker-0: init container "
                               "init-pytorch, which waits for the name of the "
                               "master to resolve, has given up ";
  BOOST_TEST(w.observe(waits(0, kind::running, 0, 1)).empty());
  BOOST_TEST(w.observe(waits(1, kind::running, 0, 2))
                 == strings{"W InitContainerGaveUp " + pod_text
                            + "1 time and is tried again; that does not count "
                              "as a restart"},
             boost::test_tools::per_element());
  BOOST_TEST(w.observe(waits(1, kind::running, 0, 3)).empty());
  BOOST_TEST(w.observe(waits(2, kind::running, 0, 4))
                 == strings{"W InitContainerGaveUp " + pod_text
                            + "2 times and is tried again; that does not count "
                              "as a restart"},
             boost::test_tools::per_element());
  BOOST_TEST(w.seen.pods().begin()->restarts == 0);
  // It has what it waited for.
  BOOST_TEST(w.observe(waits(2, kind::terminated, 0, 5)).empty());
  BOOST_TEST(w.seen.pods().begin()->problem->reason == "");

  auto gone = waits(2, kind::terminated, 1, 6);
  gone.state().phase = k8s::pod_phase::failed;
  BOOST_TEST(w.observe(gone)
                 == strings{"W InitContainerGaveUp " + pod_text
                            + "with exit code 1; the pod is replaced and does "
                              "not count as failed"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_init_containers_of_a_kind_are_known) {
  struct row {
    const char* kind;
    std::vector<const char*> types;
    const char* containers; ///< A template file's list; "": none.
    std::vector<strings> own;
  } rows[] = {
      {"PyTorchJob", {"Master", "Worker"}, "", {{}, {"init-pytorch"}}},
      {"PyTorchJob", {"Master", "Worker"}, "[]", {{}, {}}},
      {"PyTorchJob",
       {"Master", "Worker"},
       R"([{"name":"a"},{"name":"b"}])",
       {{}, {"a", "b"}}},
      {"PyTorchJob", {"Worker"}, "", {{}}},
      {"MPIJob", {"Launcher", "Worker"}, "", {{"kubectl-delivery"}, {}}},
      {"TFJob", {"Worker"}, "", {{}}},
  };
  for (const auto& r : rows) {
    auto b = make_job_of(r.kind);
    for (const char* type : r.types) {
      b.type(type, 1);
      b.pod_template(type)["spec"]["initContainers"] = {{{"name", "users"}}};
    }
    core::job j = b;
    core::cluster_options cluster;
    cluster.master_wait_template = r.containers;
    core::record_own_init_containers(j, cluster);
    for (std::size_t i = 0; i < r.own.size(); ++i) {
      const auto* spec = j.find_replica_spec(k8s::lower_case(r.types[i]));
      BOOST_REQUIRE(spec);
      BOOST_TEST(*spec->own_init_containers == r.own[i],
                 boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(a_pod_that_could_be_placed_has_no_trouble) {
  k8s::pod_state state;
  state.conditions = {{"PodScheduled", "False", "Schedulable",
                       "Pod ns/a can possibly be assigned to node1",
                       base_time}};
  BOOST_TEST(core::pod_waiting_events("a", state).empty());
  state.conditions[0].reason = "Unschedulable";
  state.conditions[0].message = "0/1 nodes are unavailable";
  BOOST_REQUIRE(core::pod_waiting_events("a", state).size() == 1u);
  BOOST_TEST(core::pod_waiting_events("a", state)[0].reason == "Unschedulable");
  state.conditions[0].message =
      "pod group is unschedulable, minCount (4) cannot be satisfied";
  BOOST_TEST(core::pod_waiting_events("a", state).empty());
}

BOOST_AUTO_TEST_SUITE_END()
