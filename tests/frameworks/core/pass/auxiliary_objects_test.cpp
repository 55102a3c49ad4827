#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/pass/auxiliary_objects.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(auxiliary_objects_test)

namespace {

/// An auxiliary object as a watcher sees it; without a body: only its metadata.
void observe(job_fixture& s, core::child_kind kind, const std::string& name,
             const std::string& body, std::uint64_t version = 1,
             std::uint64_t list_number = 1) {
  k8s::object o;
  o.meta.name = name;
  o.meta.ns = s.j.ns;
  o.meta.uid = core::resource_of(kind).kind + name;
  o.meta.resource_version = version;
  o.meta.owners.push_back(
      {"kubeflow.org/v1", s.j.kind->names.type.kind, s.j.name, s.j.uid, true});
  json metadata{{"name", name},
                {"uid", o.meta.uid},
                {"resourceVersion", std::to_string(version)},
                {"labels", {{"theirs", "yes"}}}};
  if (!body.empty())
    o.state = k8s::full_state{body, metadata.dump()};
  record_seen(s.seen, kind, o, s.j, list_number);
}

/// As if every creation had been carried out; `list_number` 0: only the answers
/// have come.
void execute_orders(job_fixture& s, std::uint64_t list_number = 1) {
  for (const auto& d : s.last.decisions)
    if (auto* c = std::get_if<core::create_auxiliary>(&d))
      observe(s, c->wanted->kind, c->wanted->name, c->wanted->body, 1,
              list_number);
}

/// With all that pods wait for.
void make_ready(job_fixture& s) {
  for (int i = 0; i < 2; ++i) {
    s.pass();
    execute_orders(s);
  }
}

job_fixture mpi() {
  return job_fixture{
      make_job_of("MPIJob").type("Launcher", 1).type("Worker", 1)};
}

} // namespace

BOOST_AUTO_TEST_CASE(pods_wait_for_what_they_need) {
  auto s = mpi();
  s.pass();
  BOOST_TEST(s.decisions()
                 == (strings{"create service account job-launcher",
                             "create config map job-config",
                             "create role job-launcher"}),
             boost::test_tools::per_element());
  BOOST_TEST(s.last.summary == "waits for the objects that its pods need");
  make_ready(s);
  s.pass();
  BOOST_TEST(s.decisions() == (strings{"create pod worker-0"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_binding_waits_until_a_watch_has_shown_its_role) {
  auto s = mpi();
  s.pass();
  auto made = s.last.decisions;
  execute_orders(s, 0);
  s.pass();
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
  // The same version as in the answer, and still a change.
  s.last.decisions = made;
  for (const auto& v : s.seen.children_of_kind(core::child_kind::role)) {
    k8s::object o;
    o.meta.name = v.name;
    o.meta.uid = v.uid.text();
    o.meta.resource_version = v.version;
    auto see = [&] {
      return record_seen(s.seen, core::child_kind::role, o, s.j, 7).changed;
    };
    BOOST_TEST(see());
    BOOST_TEST(!see());
  }
  s.pass();
  BOOST_TEST(s.decisions() == (strings{"create role binding job-launcher"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_may_not_be_seen_yet_is_asked_for_once_more_soon) {
  core::auxiliary_object alone;
  core::auxiliary_object refers;
  refers.refers_to = core::child_kind::role;
  struct row {
    const core::auxiliary_object& wanted;
    k8s::ec code;
    int before;
    std::int64_t ms; ///< 0: it is refused as anything else is.
  } rows[] = {
      {refers, k8s::ec::not_found, 0, 250},
      {refers, k8s::ec::forbidden, 0, 250},
      {refers, k8s::ec::not_found, 1, 0},
      {refers, k8s::ec::invalid, 0, 0},
      {refers, k8s::ec::server_error, 0, 0},
      {alone, k8s::ec::not_found, 0, 0},
      {alone, k8s::ec::forbidden, 0, 0},
  };
  for (const auto& r : rows) {
    auto wait = core::retry_delay_for_unseen_ref(r.wanted, {r.code, "", {}},
                                                 r.before, 0);
    BOOST_TEST((wait ? wait->count() : 0) == r.ms);
  }
  auto latest = core::retry_delay_for_unseen_ref(
      refers, {k8s::ec::not_found, "", {}}, 0, 0.99);
  BOOST_TEST(latest->count() < 500);
}

BOOST_AUTO_TEST_CASE(a_body_is_read_when_its_metadata_is_news) {
  auto s = mpi();
  make_ready(s);
  auto decides = [&](const char* kind) {
    s.pass();
    auto all = s.decisions();
    return std::find(all.begin(), all.end(), kind) != all.end();
  };
  BOOST_TEST(!decides("read config map job-config"));
  observe(s, core::child_kind::config_map, "job-config", "", 7);
  BOOST_TEST(decides("read config map job-config"));
  BOOST_TEST(!decides("update config map job-config"));
  // The same version again, now with what there was to read.
  observe(s, core::child_kind::config_map, "job-config", R"({"data":{}})", 7,
          0);
  BOOST_TEST(decides("update config map job-config"));
  BOOST_TEST(!decides("read config map job-config"));
  // Nothing is wanted of an account but that it is there.
  observe(s, core::child_kind::service_account, "job-launcher", "", 8);
  BOOST_TEST(!decides("read service account job-launcher"));
}

BOOST_AUTO_TEST_CASE(what_is_being_made_or_written_is_not_read) {
  const std::string job_config = "job-config";
  auto s = mpi();
  s.pass();
  s.open.expect_creation({core::child_kind::config_map, job_config}, s.now);
  observe(s, core::child_kind::config_map, "job-config", "");
  auto reads = [&] {
    s.pass();
    auto all = s.decisions();
    return std::count(all.begin(), all.end(), "read config map job-config");
  };
  BOOST_TEST(reads() == 0);
  s.open.forget_creation({core::child_kind::config_map, job_config});
  BOOST_TEST(reads() == 1);
}

BOOST_AUTO_TEST_CASE(a_correction_keeps_what_others_put_there) {
  auto s = mpi();
  make_ready(s);
  observe(s, core::child_kind::config_map, "job-config",
          R"({"data":{"hostfile":"lost\n","theirs":"1"},"immutable":false})",
          7);
  s.pass();
  const auto& d = std::get<core::update_auxiliary>(s.last.decisions.at(0));
  BOOST_TEST(d.version == "7");
  auto body = json::parse(d.body);
  BOOST_TEST(body["apiVersion"] == "v1");
  BOOST_TEST(body["kind"] == "ConfigMap");
  BOOST_TEST(body["metadata"].dump()
             == R"({"labels":{"theirs":"yes"},"name":"job-config",)"
                R"("resourceVersion":"7","uid":"ConfigMapjob-config"})");
  BOOST_TEST(body["immutable"] == false);
  BOOST_TEST(body["data"]["theirs"] == "1");
  BOOST_TEST(body["data"]["hostfile"] == "job-worker-0 slots=1\n");
}

BOOST_AUTO_TEST_CASE(a_correction_takes_back_what_was_asked_for_before) {
  job_fixture s{make_job_of("PyTorchJob")
                    .workers(2)
                    .with("elasticPolicy",
                          {{"minReplicas", 1},
                           {"maxReplicas", 2},
                           {"metrics", json::array({{{"type", "Pods"}}})}})};
  s.pass();
  execute_orders(s);
  auto last_applied_content = json::parse(
      s.seen.children_of_kind(core::child_kind::autoscaler).begin()->body());
  last_applied_content["spec"]["behavior"] = 1;
  auto apply = [&](const json& body) {
    s.seen.record_applied_content(
        {core::child_kind::autoscaler, "job", body.dump(), ""}, s.j,
        "HorizontalPodAutoscalerjob");
  };
  apply(last_applied_content);
  last_applied_content["spec"]["theirs"] = 2;
  observe(s, core::child_kind::autoscaler, "job", last_applied_content.dump(),
          3);
  apply({{"spec", {{"behavior", 1}}}});
  s.pass();
  const auto& d = std::get<core::update_auxiliary>(s.last.decisions.at(0));
  auto spec = json::parse(d.body)["spec"];
  BOOST_TEST(!spec.contains("behavior"));
  BOOST_TEST(spec["theirs"] == 2);
  BOOST_TEST(spec["maxReplicas"] == 2);
}

BOOST_AUTO_TEST_CASE(what_differs_is_corrected_once) {
  auto s = mpi();
  make_ready(s);
  observe(s, core::child_kind::config_map, "job-config", R"({"data":{}})", 2);
  s.pass();
  BOOST_REQUIRE(!s.decisions().empty());
  BOOST_TEST(s.decisions()[0] == "update config map job-config");
  auto wanted = std::get<core::update_auxiliary>(s.last.decisions[0]).wanted;
  // What the server makes of it is what it makes of it.
  s.seen.record_applied_content(*wanted, s.j, "ConfigMapjob-config");
  s.pass();
  BOOST_TEST(s.decisions()[0] == "create pod worker-0");
  // Unless somebody changes it again.
  observe(s, core::child_kind::config_map, "job-config",
          R"({"data":{"a":"b"}})", 3);
  s.pass();
  BOOST_TEST(s.decisions()[0] == "update config map job-config");
}

BOOST_AUTO_TEST_CASE(what_the_server_made_of_it_stays_when_a_status_comes) {
  auto s = mpi();
  make_ready(s);
  const char* name = "ConfigMapjob-config";
  auto held = [&](int turn, const char* spec) {
    observe(s, core::child_kind::config_map, "job-config",
            json{{"spec", spec}, {"status", turn}}.dump(), turn);
  };
  held(2, "rewritten");
  s.pass();
  auto wanted = std::get<core::update_auxiliary>(s.last.decisions[0]).wanted;
  s.seen.record_applied_content(*wanted, s.j, name);
  for (int turn = 3; turn < 6; ++turn) {
    held(turn, "rewritten");
    s.pass();
    BOOST_TEST(s.decisions()[0] == "create pod worker-0");
  }
  held(6, "meddled with");
  s.pass();
  BOOST_TEST(s.decisions()[0] == "update config map job-config");
}

BOOST_AUTO_TEST_CASE(what_the_server_adds_is_its_own_affair) {
  auto s = mpi();
  make_ready(s);
  auto body = json::parse(
      s.seen.children_of_kind(core::child_kind::role).begin()->body());
  body["aggregated"] = true;
  observe(s, core::child_kind::role, "job-launcher", body.dump(), 2);
  s.pass();
  BOOST_TEST(s.decisions()[0] == "create pod worker-0");
}

BOOST_AUTO_TEST_CASE(what_is_not_wanted_goes) {
  auto b = make_job_of("PyTorchJob").workers(1);
  job_fixture s{b};
  observe(s, core::child_kind::autoscaler, "job", R"({"spec":{}})");
  s.pass();
  BOOST_TEST(s.decisions()[0] == "delete autoscaler job");
}

BOOST_AUTO_TEST_CASE(a_suspended_job_makes_nothing) {
  job_fixture s{
      make_job_of("MPIJob").type("Launcher", 1).type("Worker", 1).suspended()};
  s.pass();
  BOOST_TEST(s.decisions().empty());
}

BOOST_AUTO_TEST_SUITE_END()
