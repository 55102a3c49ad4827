#include "tests/frameworks/mpi_ssh/ssh_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using k8s::pod_phase;

BOOST_AUTO_TEST_SUITE(ssh_plan_test)

namespace {

json with(json spec, const char* pointer, json value) {
  spec[json::json_pointer{pointer}] = std::move(value);
  return spec;
}

json waiting_spec() {
  return with(ssh_spec(), "/launcherCreationPolicy", "WaitForWorkersReady");
}

json suspended_spec() {
  return with(ssh_spec(), "/runPolicy/suspend", true);
}

k8s::batch_job_state suspended_launcher() {
  k8s::batch_job_state state;
  state.suspended = true;
  return state;
}

k8s::batch_job_state complete_launcher() {
  k8s::batch_job_state state;
  state.complete = true;
  state.started = base_time;
  state.ended = base_time + std::chrono::seconds{5};
  return state;
}

k8s::batch_job_state failed_launcher(const char* reason = "DeadlineExceeded") {
  k8s::batch_job_state state;
  state.failed = true;
  state.failed_pods = 1;
  state.failed_reason = reason;
  state.failed_message = "too long";
  return state;
}

/// All is there and runs; the status is saved.
ssh_job_fixture running_job(const json& spec = ssh_spec()) {
  ssh_job_fixture s{spec};
  s.see_objects_for_pods();
  s.observe({ready_worker(0), ready_worker(1)});
  s.see_launcher();
  s.see_launcher_pod(pod_phase::running);
  s.pass_and_save();
  return s;
}

void edit(ssh_job_fixture& s, const json& spec) {
  s.j = make_ssh_job(spec);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_new_job_gets_what_pods_need_first) {
  ssh_job_fixture s;
  s.pass_and_save();
  BOOST_TEST(s.conditions() == "Created");
  BOOST_TEST(s.events()
             == strings{"Normal MPIJobCreated MPIJob default/pi is created."});
  BOOST_TEST(s.decisions()
             == (strings{"create service pi", "create config map pi-config",
                         "create secret pi-ssh"}));
  s.see_objects_for_pods();
  s.pass_and_save();
  BOOST_TEST(s.decisions_on_pods()
             == (strings{"create pod worker-0", "create pod worker-1"}));
  s.observe(worker(0));
  s.pass();
  BOOST_TEST(s.decisions_on_pods() == strings{"create pod worker-1"});
  s.observe(worker(1));
  s.pass();
  BOOST_TEST(s.decisions_on_pods()
             == strings{"create launcher job pi-launcher"});
  s.see_launcher();
  s.pass();
  BOOST_TEST(s.decisions_on_pods() == strings{});
}

BOOST_AUTO_TEST_CASE(a_job_runs_when_its_launcher_and_all_workers_do) {
  auto s = running_job();
  BOOST_TEST(s.conditions() == "Created Running");
  BOOST_TEST((s.status.replicas["Worker"].active == 2));
  BOOST_TEST((s.status.replicas["Launcher"].active == 1));
  s.observe(worker(1).version(2)); // It is pending again, Running stays.
  s.pass();
  BOOST_TEST(s.conditions() == "Created Running");
}

BOOST_AUTO_TEST_CASE(labels_alone_make_no_launcher_pod) {
  ssh_job_fixture s;
  s.see_objects_for_pods();
  s.observe({ready_worker(0), ready_worker(1)});
  s.see_launcher();
  auto liar = launcher_pod(s.j, pod_phase::running);
  liar.meta.owners.front().uid = "another";
  s.see(core::child_kind::pod, liar);
  s.pass();
  BOOST_TEST(s.conditions() == "Created");
  BOOST_TEST((s.status.replicas["Launcher"].active == 0));
}

BOOST_AUTO_TEST_CASE(the_end_of_the_launcher_is_the_end_of_the_job) {
  auto s = running_job();
  s.see_launcher(complete_launcher(), 2);
  s.pass();
  BOOST_TEST(s.conditions() == "Created Running=False Succeeded");
  BOOST_TEST(s.events()
             == strings{"Normal MPIJobSucceeded MPIJob default/pi successfully "
                        "completed."});
  BOOST_TEST((s.status.completion_time == base_time + std::chrono::seconds{5}));
  BOOST_TEST((s.status.replicas["Launcher"].succeeded == 1));
  BOOST_TEST((s.status.replicas["Worker"].active == 0));
  BOOST_TEST(s.decisions() == strings{}); // Until that is saved.
}

BOOST_AUTO_TEST_CASE(a_job_that_was_never_seen_to_run_says_so) {
  ssh_job_fixture s;
  s.see_objects_for_pods();
  s.observe({ready_worker(0), ready_worker(1)});
  s.see_launcher(complete_launcher());
  s.pass();
  BOOST_TEST(s.conditions() == "Created Succeeded Running=False");
}

BOOST_AUTO_TEST_CASE(the_reason_of_a_failure_is_the_launchers) {
  auto s = running_job();
  s.see_launcher(failed_launcher(), 2);
  s.pass();
  BOOST_TEST(s.events() == strings{"Warning DeadlineExceeded too long"});
  BOOST_TEST(s.conditions() == "Created Running=False Failed");

  auto retried = running_job();
  auto pod = launcher_pod(retried.j, pod_phase::failed, "zzzzz");
  std::get<k8s::pod_state>(pod.state).reason = "Evicted";
  std::get<k8s::pod_state>(pod.state).message = "no memory";
  retried.see(core::child_kind::pod, pod);
  retried.see_launcher(failed_launcher("BackoffLimitExceeded"), 2);
  retried.pass();
  BOOST_TEST(retried.events()
             == strings{"Warning BackoffLimitExceeded/Evicted too long: no "
                        "memory"});
}

BOOST_AUTO_TEST_CASE(a_long_reason_is_cut_between_characters) {
  auto s = running_job();
  auto pod = launcher_pod(s.j, pod_phase::failed, "zzzzz");
  std::string message;
  while (message.size() < 2'000)
    message += "\xC3\xA9";
  std::get<k8s::pod_state>(pod.state).message = message;
  s.see(core::child_kind::pod, pod);
  s.see_launcher(failed_launcher("BackoffLimitExceeded"), 2);
  s.pass();
  const auto& text = s.last.events.back().message;
  BOOST_TEST(text.size() <= 1'024u);
  BOOST_TEST(text.substr(text.size() - 5) == "\xC3\xA9...");
}

BOOST_AUTO_TEST_CASE(workers_are_cleaned_by_policy_and_the_launcher_stays) {
  struct {
    const char* policy;
    strings decisions;
  } rows[] = {{"None", {}},
              {"Running", {"delete pod pi-worker-1"}},
              {"All", {"delete pod pi-worker-0", "delete pod pi-worker-1"}}};
  for (const auto& row : rows) {
    auto s =
        running_job(with(ssh_spec(), "/runPolicy/cleanPodPolicy", row.policy));
    s.observe(worker(0).failed().version(2));
    s.see_launcher(complete_launcher(), 2);
    s.pass_and_save();
    s.pass();
    BOOST_TEST(s.decisions() == row.decisions);
  }
}

BOOST_AUTO_TEST_CASE(a_finished_job_goes_after_its_time_to_live) {
  auto s =
      running_job(with(ssh_spec(), "/runPolicy/ttlSecondsAfterFinished", 10));
  s.see_launcher(complete_launcher(), 2);
  s.pass_and_save();
  s.pass();
  BOOST_TEST(s.decisions() == strings{});
  s.now += std::chrono::seconds{16};
  s.pass();
  BOOST_TEST(s.decisions() == strings{"delete the job"});
}

BOOST_AUTO_TEST_CASE(scaling_down_takes_the_last_workers) {
  auto computing = with(ssh_spec(), "/runLauncherAsWorker", true);
  auto s = running_job(computing);
  edit(s, with(computing, "/mpiReplicaSpecs/Worker/replicas", 1));
  s.pass();
  BOOST_TEST(s.decisions_on_pods()
             == (strings{"update service pi", "delete pod pi-worker-1"}));
}

BOOST_AUTO_TEST_CASE(workers_come_back_if_the_cluster_took_them) {
  auto s = running_job();
  s.observe(worker(0).failed().version(2));
  s.pass();
  BOOST_TEST(s.decisions_on_pods() == strings{}); // restartPolicy Never
  s.observe(worker(1).failed().reason("Evicted").version(2));
  s.pass();
  BOOST_TEST(s.decisions_on_pods() == strings{"delete pod pi-worker-1"});
  BOOST_TEST(s.events()
             == strings{"Warning MPIJobEvicted 1/2 workers are evicted"});
  BOOST_TEST(s.conditions() == "Created Running");

  auto retrying = running_job(
      with(ssh_spec(), "/mpiReplicaSpecs/Worker/restartPolicy", "OnFailure"));
  retrying.observe(worker(0).failed().version(2));
  retrying.pass();
  BOOST_TEST(retrying.decisions_on_pods() == strings{"delete pod pi-worker-0"});
}

BOOST_AUTO_TEST_CASE(a_launcher_that_waits_is_made_when_all_workers_are_ready) {
  ssh_job_fixture s{waiting_spec()};
  s.see_objects_for_pods();
  s.observe({ready_worker(0), worker(1).running()});
  s.pass();
  BOOST_TEST(s.decisions_on_pods() == strings{});
  BOOST_TEST(s.last.summary.find("the launcher waits for the workers") == 0);
  s.observe(ready_worker(1).version(2));
  s.pass();
  BOOST_TEST(s.decisions_on_pods()
             == strings{"create launcher job pi-launcher"});
}

BOOST_AUTO_TEST_CASE(a_job_that_waits_for_workers_has_a_deadline) {
  ssh_job_fixture s{
      with(waiting_spec(), "/runPolicy/activeDeadlineSeconds", 60)};
  s.see_objects_for_pods();
  s.pass_and_save();
  BOOST_TEST((s.last.requeue_at == base_time + std::chrono::seconds{60}));
  s.now += std::chrono::seconds{60};
  s.pass();
  BOOST_TEST(s.conditions() == "Created Failed Running=False");
  BOOST_TEST(s.events()
             == strings{"Warning DeadlineExceeded Job was active longer than "
                        "specified deadline"});
}

BOOST_AUTO_TEST_CASE(a_suspended_job_has_no_deadline) {
  auto spec = with(waiting_spec(), "/runPolicy/activeDeadlineSeconds", 60);
  ssh_job_fixture s{spec};
  s.see_objects_for_pods();
  s.pass_and_save();
  edit(s, with(spec, "/runPolicy/suspend", true));
  s.now += std::chrono::seconds{61};
  s.pass();
  BOOST_TEST(s.conditions() == "Created Suspended Running=False");
}

BOOST_AUTO_TEST_CASE(a_finished_job_that_is_suspended_goes_all_the_same) {
  auto spec = with(ssh_spec(), "/runPolicy/ttlSecondsAfterFinished", 10);
  auto s = running_job(spec);
  s.see_launcher(complete_launcher(), 2);
  s.pass_and_save();
  edit(s, with(spec, "/runPolicy/suspend", true));
  s.now += std::chrono::seconds{16};
  s.pass();
  BOOST_TEST(s.decisions() == strings{"delete the job"});
}

BOOST_AUTO_TEST_CASE(a_job_born_suspended_has_a_suspended_launcher) {
  ssh_job_fixture s{suspended_spec()};
  s.pass_and_save();
  BOOST_TEST(s.conditions() == "Created Suspended Running=False");
  BOOST_TEST(
      s.decisions()
      == (strings{"create service pi", "create config map pi-config",
                  "create secret pi-ssh", "create launcher job pi-launcher"}));
  BOOST_TEST(!s.status.start_time);
}

BOOST_AUTO_TEST_CASE(a_running_job_is_suspended_and_resumed) {
  auto s = running_job();
  edit(s, suspended_spec());
  s.pass_and_save();
  BOOST_TEST(s.decisions_on_pods()
             == (strings{"delete pod pi-worker-0", "delete pod pi-worker-1",
                         "update launcher job pi-launcher"}));
  BOOST_TEST(s.conditions() == "Created Suspended Running=False");
  BOOST_TEST((s.status.replicas["Worker"].active == 2)); // They still run.

  auto state = suspended_launcher();
  state.started = base_time;
  s.see_launcher(state, 2);
  s.pass();
  edit(s, ssh_spec());
  s.pass_and_save();
  BOOST_TEST(s.conditions() == "Created Running=False Suspended=False");
  const auto* patch =
      std::get_if<core::patch_auxiliary>(&s.last.decisions.back());
  BOOST_REQUIRE(patch);
  BOOST_TEST(patch->of_status);
  s.see_launcher(suspended_launcher(), 3);
  s.pass();
  patch = std::get_if<core::patch_auxiliary>(&s.last.decisions.back());
  BOOST_REQUIRE(patch);
  BOOST_TEST(!patch->of_status);
  BOOST_TEST(patch->version == "3");
}

BOOST_AUTO_TEST_CASE(a_resumed_launcher_waits_for_workers_too) {
  ssh_job_fixture s{waiting_spec()};
  s.see_objects_for_pods();
  s.observe({ready_worker(0), worker(1)});
  s.see_launcher(suspended_launcher());
  s.pass();
  BOOST_TEST(s.decisions_on_pods() == strings{});
  s.observe(ready_worker(1).version(2));
  s.pass();
  BOOST_TEST(s.decisions_on_pods()
             == strings{"update launcher job pi-launcher"});
}

BOOST_AUTO_TEST_CASE(a_launcher_that_was_removed_before_its_end_is_made_again) {
  auto s = running_job();
  s.seen.record_deleted(core::child_kind::launcher_job, "uid-of-pi-launcher");
  s.pass();
  BOOST_TEST(s.decisions_on_pods()
             == strings{"create launcher job pi-launcher"});
}

BOOST_AUTO_TEST_CASE(a_launcher_that_went_while_nobody_watched_is_looked_for) {
  auto before = running_job();
  ssh_job_fixture s; // The operator was started again.
  s.status = s.saved = before.saved;
  s.see_objects_for_pods();
  s.observe({ready_worker(0), ready_worker(1)});
  s.pass();
  BOOST_TEST(s.decisions() == strings{"read launcher job pi-launcher"});
  s.seen.note_looked_up_in_vain(core::child_kind::launcher_job);
  s.pass();
  BOOST_TEST(s.conditions() == "Created Running=False Failed");
  BOOST_TEST(s.status.conditions.back().reason == "MPIJobLauncherLost");
}

BOOST_AUTO_TEST_CASE(the_launcher_of_mpi_operator_gets_the_label) {
  auto s = running_job();
  auto theirs = launcher_job(s.j, {}, 2);
  theirs.meta.labels.erase(core::label::operator_name);
  s.see(core::child_kind::launcher_job, theirs);
  s.pass();
  BOOST_TEST(s.decisions_on_pods()
             == strings{"update launcher job pi-launcher"});
}

BOOST_AUTO_TEST_CASE(keys_are_made_anew_only_if_one_is_missing) {
  auto s = running_job();
  s.see_whole(core::child_kind::secret, "pi-ssh",
              R"({"data":{"ssh-privatekey":""}})", 2);
  s.pass();
  BOOST_TEST(s.decisions_on_pods() == strings{"update secret pi-ssh"});
  const auto* patch =
      std::get_if<core::patch_auxiliary>(&s.last.decisions.back());
  BOOST_REQUIRE(patch);
  BOOST_TEST(patch->adds_ssh_keys);
}

BOOST_AUTO_TEST_CASE(an_invalid_job_fails_unless_it_has_begun) {
  auto invalid = with(ssh_spec(), "/slotsPerWorker", -1);
  ssh_job_fixture s{invalid};
  s.pass();
  BOOST_TEST(s.conditions() == "Created Failed");
  BOOST_TEST(s.last.events.back().reason == "ValidationError");
  ssh_job_fixture beside{invalid}; // Labels alone make no pod the job's.
  beside.see_launcher_pod(pod_phase::running);
  beside.observe(worker(0).orphan());
  beside.pass();
  BOOST_TEST(beside.conditions() == "Created Failed");
  auto begun = running_job();
  edit(begun, invalid);
  begun.pass();
  BOOST_TEST(begun.conditions() == "Created Running");
  BOOST_TEST(begun.decisions() == strings{});
  begun.see_launcher(complete_launcher(), 2);
  begun.pass();
  BOOST_TEST(begun.conditions() == "Created Running=False Succeeded");
}

BOOST_AUTO_TEST_CASE(a_job_of_another_manager_is_left_alone) {
  for (const char* manager :
       {"kubeflow.org/training-operator", "", "example.org/mine"}) {
    ssh_job_fixture s{with(ssh_spec(), "/runPolicy/managedBy", manager)};
    s.pass();
    BOOST_TEST(s.decisions() == strings{});
    BOOST_TEST(s.conditions() == "");
  }
  ssh_job_fixture ours{
      with(ssh_spec(), "/runPolicy/managedBy", "kubeflow.org/mpi-operator")};
  ours.pass();
  BOOST_TEST(ours.conditions() == "Created");
}

BOOST_AUTO_TEST_CASE(an_eviction_of_mpi_operators_is_no_end) {
  auto s = running_job();
  s.saved.conditions.push_back({"Failed", true, "MPIJobEvicted",
                                "1/2 workers are evicted", base_time,
                                base_time});
  s.status = s.saved;
  s.pass();
  BOOST_TEST(s.conditions() == "Created Running");
}

BOOST_AUTO_TEST_SUITE_END()
