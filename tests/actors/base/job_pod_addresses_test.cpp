#include "actors/base/job_pod_addresses.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;

BOOST_AUTO_TEST_SUITE(job_pod_addresses_test)

namespace {

/// The pod "UID" of the job, of a kind that takes requests.
k8s::object pod_of(const std::string& job, const std::string& uid,
                   std::vector<std::string> ips, std::uint64_t version = 1) {
  k8s::object pod;
  pod.meta.ns = "ns";
  pod.meta.name = pod.meta.uid = uid;
  pod.meta.resource_version = version;
  pod.meta.owners = {
      {"diengine.opendilab.org/v1alpha1", "DIJob", job, "uid-" + job, true}};
  k8s::pod_state state;
  state.ips = std::move(ips);
  pod.state = std::move(state);
  return pod;
}

struct addresses_fixture {
  job_pod_addresses all;
  int times_added = 0;

  addresses_fixture() {
    all.set_added_callback([this] { ++times_added; });
  }

  std::string jobs_at(const std::string& address) const {
    std::string out;
    for (const auto& job : all.jobs_at(address))
      out += job.ns + "/" + job.name + " ";
    return out;
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(an_address_is_new_once, addresses_fixture) {
  all.record_seen(pod_of("a", "1", {}), 1);
  BOOST_TEST(times_added == 0);
  all.record_seen(pod_of("a", "1", {"10.0.0.1"}, 2), 1);
  BOOST_TEST(times_added == 1);
  // Its status changes, it is listed again, another pod gets its address.
  all.record_seen(pod_of("a", "1", {"10.0.0.1"}, 3), 1);
  all.record_seen(pod_of("a", "1", {"10.0.0.1"}, 3), 2);
  all.record_seen(pod_of("b", "2", {"10.0.0.1"}), 2);
  BOOST_TEST(times_added == 1);
  // It gets one more, or another.
  all.record_seen(pod_of("a", "1", {"10.0.0.1", "fd00::1"}, 4), 2);
  BOOST_TEST(times_added == 2);
  all.record_seen(pod_of("a", "1", {"10.0.0.3"}, 5), 2);
  BOOST_TEST(times_added == 3);
  BOOST_TEST(!all.is_known("fd00::1"));
  // One that was forgotten is new again.
  all.record_deleted(pod_of("a", "1", {}, 6));
  all.record_seen(pod_of("c", "3", {"10.0.0.3"}), 2);
  BOOST_TEST(times_added == 4);
}

BOOST_FIXTURE_TEST_CASE(an_older_version_changes_nothing, addresses_fixture) {
  all.record_seen(pod_of("a", "1", {"10.0.0.1"}, 5), 1);
  all.record_seen(pod_of("a", "1", {"10.0.0.2"}, 4), 1);
  BOOST_TEST(times_added == 1);
  BOOST_TEST(jobs_at("10.0.0.1") == "ns/a ");
  BOOST_TEST(jobs_at("10.0.0.2") == "");
}

BOOST_FIXTURE_TEST_CASE(pods_that_ended_or_have_no_such_job_have_no_address,
                        addresses_fixture) {
  auto pod = pod_of("a", "1", {"10.0.0.1"});
  pod.meta.owners[0].kind = "Job";
  all.record_seen(pod, 1);
  pod = pod_of("a", "2", {"10.0.0.1"});
  std::get<k8s::pod_state>(pod.state).phase = k8s::pod_phase::failed;
  all.record_seen(pod, 1);
  BOOST_TEST(times_added == 0);
  BOOST_TEST(!all.is_known("10.0.0.1"));
}

BOOST_FIXTURE_TEST_CASE(jobs_come_in_one_order, addresses_fixture) {
  for (const char* job : {"c", "a", "b", "a"})
    all.record_seen(
        pod_of(job, std::to_string(times_added) + job, {"10.0.0.1"}), 1);
  BOOST_TEST(jobs_at("10.0.0.1") == "ns/a ns/b ns/c ");
}

BOOST_AUTO_TEST_SUITE_END()
