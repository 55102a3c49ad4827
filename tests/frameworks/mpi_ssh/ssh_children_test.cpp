#include "frameworks/core/memory/job_memory.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"
#include "frameworks/core/observed/ownership.hpp"
#include "frameworks/core/spec/job_reading.hpp"
#include "tests/frameworks/mpi_ssh/ssh_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>

using namespace troupe;
using namespace troupe::fixtures;
using core::child_kind;
using core::ownership;

BOOST_AUTO_TEST_SUITE(ssh_children_test)

namespace {

const core::job ssh_job = make_ssh_job();

k8s::object_meta pod_meta() {
  return launcher_pod(ssh_job, k8s::pod_phase::running).meta;
}

template <class Change>
k8s::object_meta changed(k8s::object_meta meta, Change change) {
  change(meta);
  return meta;
}

k8s::object unlabelled_launcher(std::uint64_t version = 1) {
  auto o = launcher_job(ssh_job, {}, version);
  o.meta.labels.erase(core::label::operator_name);
  return o;
}

/// What a job remembers that once had a launcher.
struct ssh_memory {
  core::job_memory memory;
  core::job_status saved;

  ssh_memory() {
    memory.set_job_and_forget_obsolete_failures(
        std::make_shared<const core::job>(ssh_job));
  }

  void see(child_kind kind, const k8s::object& o, std::uint64_t list = 1) {
    memory.record_child_seen(kind, o, core::claims_on_kind(o.meta, ssh_kind()),
                             list, saved);
  }

  core::child_order issue(core::decision d) {
    return memory.record_issued_order(d, saved, base_time);
  }

  core::memory_change read_launcher(k8s::object_ptr found) {
    core::read_auxiliary d;
    d.kind = child_kind::launcher_job;
    d.name = "pi-launcher";
    return memory.apply_order_result(core::order_done{issue(d), found, !found},
                                     saved, {});
  }

  const core::child_view* launcher() const {
    return core::own_launcher_job(memory.observed());
  }
};

k8s::object_ptr shared(k8s::object o) {
  return std::make_shared<const k8s::object>(std::move(o));
}

} // namespace

BOOST_AUTO_TEST_CASE(a_pod_of_a_job_is_claimed_by_its_labels) {
  struct row {
    const char* what;
    k8s::object_meta meta;
    bool made_by_job;
    ownership whose;
  };
  const row rows[] = {
      {"the launcher's", pod_meta(), true, ownership::made_by_job},
      {"of another role",
       changed(pod_meta(),
               [](auto& m) { m.labels[core::label::job_role] = "worker"; }),
       false, ownership::foreign},
      {"of another operator",
       changed(pod_meta(),
               [](auto& m) { m.labels[core::label::operator_name] = "x"; }),
       false, ownership::foreign},
      {"of a ReplicaSet",
       changed(pod_meta(), [](auto& m) { m.owners[0].kind = "ReplicaSet"; }),
       false, ownership::foreign},
      {"of another group's Job",
       changed(pod_meta(), [](auto& m) { m.owners[0].api_version = "x/v1"; }),
       false, ownership::foreign},
      {"in another namespace",
       changed(pod_meta(), [](auto& m) { m.ns = "other"; }), true,
       ownership::foreign},
      {"with the name of another job",
       changed(pod_meta(),
               [](auto& m) { m.labels[core::label::job_name] = "other"; }),
       true, ownership::foreign},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.what) {
      auto claims = core::claims_on_kind(r.meta, ssh_kind());
      BOOST_TEST(claims.made_by_job == r.made_by_job);
      BOOST_TEST((core::ownership_of(child_kind::pod, r.meta, claims, ssh_job)
                  == r.whose));
      auto any = core::claims_of(r.meta, {ssh_kind()});
      BOOST_TEST(any.made_by_job == r.made_by_job);
      BOOST_TEST((any.kind != nullptr) == r.made_by_job);
      if (r.made_by_job)
        BOOST_TEST(std::string{any.job()}
                   == r.meta.labels.at(core::label::job_name));
    }
}

BOOST_AUTO_TEST_CASE(only_the_pods_of_the_own_job_count) {
  ssh_memory m;
  auto pod = launcher_pod(ssh_job, k8s::pod_phase::running);
  auto lie = launcher_pod(ssh_job, k8s::pod_phase::running, "other");
  lie.meta.owners[0].uid = "other-uid";
  auto reconciles = [&](const k8s::object& o) {
    return m.memory
        .record_child_seen(child_kind::pod, o,
                           core::claims_on_kind(o.meta, ssh_kind()), 1, m.saved)
        .must_reconcile;
  };
  BOOST_TEST(!reconciles(pod)); // Its Job was not seen yet.
  BOOST_TEST(!reconciles(lie));
  m.see(child_kind::launcher_job, launcher_job(ssh_job));
  int own = 0;
  for (const auto& p : m.memory.observed().pods()) {
    BOOST_TEST(!p.owned);
    own += core::is_launcher_pod(p, m.memory.observed()) ? 1 : 0;
  }
  BOOST_TEST(own == 1);
  pod.meta.resource_version = lie.meta.resource_version = 2;
  std::get<k8s::pod_state>(pod.state).phase = k8s::pod_phase::failed;
  std::get<k8s::pod_state>(lie.state).phase = k8s::pod_phase::failed;
  BOOST_TEST(reconciles(pod));
  BOOST_TEST(!reconciles(lie));
}

BOOST_AUTO_TEST_CASE(the_own_job_has_its_name_and_its_owner) {
  struct row {
    const char* what;
    k8s::object o;
    bool own;
  } rows[] = {{"its own", launcher_job(ssh_job), true},
              {"of another name", launcher_job(ssh_job), false},
              {"of another owner", launcher_job(ssh_job), false}};
  rows[1].o.meta.name = "pi-launcher-2";
  rows[2].o.meta.owners[0].uid = "other";
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.what) {
      ssh_memory m;
      m.see(child_kind::launcher_job, r.o);
      BOOST_TEST((m.launcher() != nullptr) == r.own);
    }
  ssh_memory m;
  auto old = launcher_job(ssh_job, {}, 9);
  old.meta.deleted = base_time;
  auto next = launcher_job(ssh_job, {}, 8);
  next.meta.uid = "next";
  m.see(child_kind::launcher_job, old);
  m.see(child_kind::launcher_job, next);
  BOOST_TEST(m.launcher()->uid.text() == "next");
}

BOOST_AUTO_TEST_CASE(a_service_is_a_child_as_one_kind) {
  auto service = owned_object(ssh_job, "pi");
  auto of_v1 = service;
  of_v1.meta.owners[0].api_version = "kubeflow.org/v1";
  struct row {
    const k8s::object& o;
    child_kind kind;
    bool expected;
  } rows[] = {{service, child_kind::job_service, true},
              {service, child_kind::service, false},
              {of_v1, child_kind::job_service, false},
              {of_v1, child_kind::service, true}};
  for (const auto& r : rows) {
    auto claims = core::claims_of(r.o.meta, frameworks::all());
    BOOST_TEST(core::could_be_child_of_any(r.kind, claims) == r.expected);
  }
  ssh_memory m;
  m.see(child_kind::service, service);
  BOOST_TEST(m.memory.observed().services().empty());
}

BOOST_AUTO_TEST_CASE(a_launcher_that_no_watch_shows_is_found_by_name) {
  ssh_memory m;
  m.memory.record_list_complete(child_kind::launcher_job, 1, 100);
  auto change = m.read_launcher(shared(unlabelled_launcher()));
  BOOST_TEST(change.must_reconcile);
  BOOST_REQUIRE(m.launcher());
  BOOST_TEST(!m.launcher()->labels_match_job);
  BOOST_TEST(m.memory.observed().has_ever_had(child_kind::launcher_job));
  BOOST_TEST(
      !m.memory.observed().was_looked_up_in_vain(child_kind::launcher_job));
  m.memory.record_list_complete(child_kind::launcher_job, 2, 200);
  BOOST_TEST(m.launcher()); // Lists do not show it.
  core::patch_auxiliary patch;
  patch.kind = child_kind::launcher_job;
  patch.uid = m.launcher()->uid.text();
  m.memory.apply_order_result(
      core::order_done{m.issue(patch), shared(launcher_job(ssh_job, {}, 201)),
                       false},
      m.saved, {});
  BOOST_TEST(m.launcher()->labels_match_job);
  m.memory.record_list_complete(child_kind::launcher_job, 3, 200);
  BOOST_TEST(m.launcher()); // It is newer than the list.
  m.memory.record_list_complete(child_kind::launcher_job, 4, 300);
  BOOST_TEST(!m.launcher());
}

BOOST_AUTO_TEST_CASE(a_launcher_may_be_looked_up_in_vain) {
  auto foreign = unlabelled_launcher();
  foreign.meta.owners.clear();
  for (const auto& found : {k8s::object_ptr{}, shared(foreign)}) {
    ssh_memory m;
    BOOST_TEST(m.read_launcher(found).must_reconcile);
    BOOST_TEST(
        m.memory.observed().was_looked_up_in_vain(child_kind::launcher_job));
    BOOST_TEST(!m.launcher());
    BOOST_TEST(!m.memory.expectations().is_child_operation_blocked(
        child_kind::launcher_job, "", base_time));
  }
}

BOOST_AUTO_TEST_CASE(a_refused_patch_is_told_and_delayed) {
  ssh_memory m;
  m.see(child_kind::launcher_job, launcher_job(ssh_job));
  core::patch_auxiliary patch;
  patch.kind = child_kind::launcher_job;
  patch.uid = m.launcher()->uid.text();
  auto change = m.memory.apply_order_result(
      core::order_failed{m.issue(patch), {k8s::ec::forbidden, "no"}, nullptr},
      m.saved, base_time, 0);
  BOOST_REQUIRE(change.events.size() == 1);
  BOOST_TEST(change.events[0].reason == "FailedUpdateJob");
  BOOST_TEST(m.memory.expectations().is_child_operation_blocked(
      child_kind::launcher_job, patch.uid, base_time));
}

BOOST_AUTO_TEST_CASE(of_a_secret_the_names_of_keys_are_kept) {
  ssh_memory m;
  core::create_auxiliary d;
  core::auxiliary_object secret;
  secret.kind = child_kind::secret;
  secret.name = "pi-ssh";
  secret.body = R"({"type":"kubernetes.io/ssh-auth"})";
  secret.metadata = "{}";
  secret.adds_ssh_keys = true;
  d.wanted = secret;
  auto stored = owned_object(ssh_job, "pi-ssh", 5);
  const std::string text =
      R"({"type":"kubernetes.io/ssh-auth","data":{"ssh-privatekey":""}})";
  stored.state = k8s::full_state{text, "{}"};
  m.memory.apply_order_result(
      core::order_done{m.issue(d), shared(stored), false}, m.saved, {});
  const auto& all = m.memory.observed().children_of_kind(child_kind::secret);
  BOOST_REQUIRE(all.size() == 1);
  BOOST_TEST(all.begin()->is_content_current());
  BOOST_TEST(all.begin()->body() == text);
  BOOST_TEST(all.begin()->content->is_result_of_applying(secret));
}

BOOST_AUTO_TEST_CASE(a_job_is_of_the_row_in_whose_version_it_was_born) {
  using core::birth;
  struct row {
    const char* spec;
    birth of_v2beta1;
    birth of_v1;
  };
  const row rows[] = {
      {R"({"createdAs":"v2beta1","a":1})", birth::of_this_row,
       birth::of_other_row},
      {R"({"mpiReplicaSpecs":{"createdAs":"v1"},"createdAs":"v1"})",
       birth::of_other_row, birth::of_this_row},
      {R"({"a":1})", birth::unknown, birth::unknown},
      {R"({"createdAs":""})", birth::unknown, birth::unknown},
      {R"({"createdAs":7})", birth::unknown, birth::unknown},
      {"null", birth::unknown, birth::unknown},
  };
  const auto& v1 = *frameworks::find("kubeflow.org/v1", "MPIJob");
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.spec) {
      k8s::object o;
      o.state = k8s::spec_and_status_state{r.spec, "null"};
      BOOST_TEST((core::birth_of(ssh_kind(), o) == r.of_v2beta1));
      BOOST_TEST((core::birth_of(v1, o) == r.of_v1));
      BOOST_TEST(
          (core::birth_of(*frameworks::find("TFJob"), o) == birth::unknown));
    }
}

BOOST_AUTO_TEST_SUITE_END()
