#include "frameworks/core/observed/ownership.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using core::child_kind;
using core::ownership;

BOOST_AUTO_TEST_SUITE(ownership_test)

namespace {

k8s::object_meta owned_by(const char* kind, const char* name, const char* uid,
                          const char* api_version = "kubeflow.org/v1") {
  k8s::object_meta meta;
  meta.ns = "ns";
  meta.owners.push_back({api_version, kind, name, uid, true});
  return meta;
}

k8s::object_meta ending(k8s::object_meta meta) {
  meta.deleted = base_time;
  return meta;
}

k8s::object_meta unowned() {
  k8s::object_meta meta;
  meta.ns = "ns";
  return meta;
}

k8s::object_meta elsewhere(k8s::object_meta meta) {
  meta.ns = "b";
  return meta;
}

} // namespace

BOOST_AUTO_TEST_CASE(an_object_is_owned_an_orphan_or_foreign) {
  core::job j = make_job("j").workers(1);
  auto ours = pod("worker", 0);
  auto account = child_kind::service_account;
  struct row {
    const char* name;
    child_kind kind;
    k8s::object_meta meta;
    ownership expected;
  } rows[] = {
      {"ours", child_kind::pod, ours.object(j).meta, ownership::owned},
      {"ours, relabelled", child_kind::pod,
       pod("worker", 0).of_job("other").object(j).meta, ownership::owned},
      {"no owner, our labels", child_kind::pod,
       pod("worker", 0).orphan().object(j).meta, ownership::orphan},
      {"no owner, labels of another job", child_kind::pod,
       pod("worker", 0).orphan().of_job("other").object(j).meta,
       ownership::foreign},
      {"another owner, our labels", child_kind::pod,
       pod("worker", 0).owned_by("them").object(j).meta, ownership::foreign},
      {"auxiliary, ours", child_kind::config_map,
       owned_by("TFJob", "j", "job-uid"), ownership::owned},
      {"ours, in another namespace", child_kind::pod,
       pod("worker", 0).in_namespace("b").object(j).meta, ownership::foreign},
      {"orphan in another namespace", child_kind::pod,
       pod("worker", 0).orphan().in_namespace("b").object(j).meta,
       ownership::foreign},
      {"our UID, another name", child_kind::pod,
       pod("worker", 0).owned_by("job-uid", "other").object(j).meta,
       ownership::foreign},
      {"our UID, another kind", child_kind::config_map,
       owned_by("PyTorchJob", "j", "job-uid"), ownership::foreign},
      {"our UID, another group", child_kind::config_map,
       owned_by("TFJob", "j", "job-uid", "example.com/v1"), ownership::foreign},
      {"our UID, another version", child_kind::config_map,
       owned_by("TFJob", "j", "job-uid", "kubeflow.org/v2"), ownership::owned},
      {"auxiliary, ours, in another namespace", child_kind::config_map,
       elsewhere(owned_by("TFJob", "j", "job-uid")), ownership::foreign},
      {"account in another namespace", account,
       elsewhere(owned_by("TFJob", "x", "x-uid")), ownership::foreign},
      {"auxiliary, no owner", child_kind::config_map, unowned(),
       ownership::foreign},
      {"account, no owner", account, unowned(), ownership::orphan},
      {"account of others", account, owned_by("TFJob", "x", "x-uid"),
       ownership::orphan},
  };
  for (const auto& r : rows)
    BOOST_TEST((core::ownership_of(r.kind, r.meta,
                                   core::claims_on_kind(r.meta, *j.kind), j)
                == r.expected),
               r.name);
}

BOOST_AUTO_TEST_CASE(what_has_the_name_is_usable_or_says_why_not) {
  core::job j = make_job_of("MPIJob", "j").workers(1);
  core::create_auxiliary account{
      core::auxiliary_object{child_kind::service_account, "a", "{}", ""}, ""};
  core::create_auxiliary files{
      core::auxiliary_object{child_kind::config_map, "a", "{}", ""}, ""};
  core::create_child replica{child_kind::pod, {"worker", 0}, ""};
  auto ours = owned_by("MPIJob", "j", "job-uid");
  auto earlier = owned_by("MPIJob", "j", "another-uid");
  auto other = owned_by("TFJob", "j", "another-uid");
  core::create_child named{child_kind::service, {}, ""};
  named.name = "di-j";
  struct row {
    core::ownership_conflict why;
    const char* expected;
  } rows[] = {
      {find_ownership_conflict(files, j, ours), ""},
      {find_ownership_conflict(files, j, {}), "it has no owner"},
      {find_ownership_conflict(files, j, other), "it belongs to TFJob j"},
      {find_ownership_conflict(files, j, earlier),
       "the former MPIJob's config map is still there (whose move: the garbage "
       "collector, which deletes it)"},
      {find_ownership_conflict(account, j, {}), ""},
      {find_ownership_conflict(account, j, other), ""},
      {find_ownership_conflict(account, j, earlier),
       "the former MPIJob's service account is still there (whose move: the "
       "garbage collector, which deletes it)"},
      {find_ownership_conflict(files, j, ending(earlier)),
       "the former MPIJob's config map is being deleted (whose move: the "
       "controllers that own its finalizers)"},
      {find_ownership_conflict(replica, j, ending(earlier)),
       "the former MPIJob's pod is being deleted (whose move: the kubelet)"},
      {find_ownership_conflict(replica, j, ending(other)),
       "it belongs to TFJob j and is being deleted (whose move: the kubelet)"},
      {find_ownership_conflict(replica, j, ending({})),
       "it has no owner and is being deleted (whose move: the kubelet)"},
      {find_ownership_conflict(replica, j, ours),
       "its labels name another replica"},
      {find_ownership_conflict(replica, j, pod("worker", 0).object(j).meta),
       ""},
      {find_ownership_conflict(replica, j, {}), "it has no owner"},
      {find_ownership_conflict(named, j, pod("worker", 0).object(j).meta), ""},
      {find_ownership_conflict(named, j, ours), "its labels name another job"},
  };
  for (const auto& r : rows)
    BOOST_TEST(describe_conflict(r.why) == r.expected);
}

BOOST_AUTO_TEST_CASE(a_job_adopts_while_it_lives) {
  core::job j = make_job("j").workers(1);
  auto now = make_job("j").object().meta;
  BOOST_TEST(core::can_adopt(now, j));
  now.deleted = base_time;
  BOOST_TEST(!core::can_adopt(now, j));
  now = make_job("j").object().meta;
  now.uid = "a-later-job-of-the-name";
  BOOST_TEST(!core::can_adopt(now, j));
}

BOOST_AUTO_TEST_SUITE_END()
