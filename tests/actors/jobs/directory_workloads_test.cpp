#include "tests/actors/jobs/directory_fixture.hpp"
#include "tests/fixtures/workload_builder.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(directory_workloads_test)

namespace {

/// A directory beside an actor that keeps what is to be released.
struct workloads_fixture : directory_fixture {
  strings released;
  int starts = 0;

  explicit workloads_fixture(bool leading = true)
      : directory_fixture(leading) {
    auto releaser = spawn([this]() -> caf::behavior {
      return {[this](actors::atom::start) { ++starts; },
              [this](const actors::release_workload& r) {
                released.push_back(r.ns + "/" + r.uid + " of " + r.job.uid);
              }};
    });
    std::const_pointer_cast<actors::actor_context>(context)->releaser =
        caf::actor_cast<actors::workload_releaser_actor>(releaser);
  }

  static workload_builder workload() {
    return workload_builder{make_queued_job("TFJob", "a")};
  }

  /// Of the job "a".
  void see(const workload_builder& w) {
    auto o = w.object();
    o.meta.owners.at(0).uid = "a-uid";
    send(subject, actors::child_seen{core::child_kind::workload,
                                     std::make_shared<k8s::object>(o), 1});
  }
  using directory_fixture::see;
  void forget(const workload_builder& w) {
    auto o = w.object();
    o.meta.owners.at(0).uid = "a-uid";
    send(subject, actors::child_deleted{core::child_kind::workload,
                                        std::make_shared<k8s::object>(o)});
  }

  void lead() { send(subject, actors::atom::lead::value); }
};

const strings of_a{"ns/workload of a-uid"};

} // namespace

BOOST_AUTO_TEST_CASE(those_of_which_nobody_tells_are_looked_for_by_the_leader) {
  workloads_fixture f{false};
  f.listed();
  BOOST_TEST(f.starts == 0);
  f.lead();
  BOOST_TEST(f.starts == 1);
}

BOOST_AUTO_TEST_CASE(one_of_a_job_that_is_gone_is_released) {
  workloads_fixture f;
  f.listed();
  f.see(f.workload());
  BOOST_TEST(f.released == strings{}, per_element());
  f.see(f.workload().version(6).deleting());
  BOOST_TEST(f.released == of_a, per_element());
}

BOOST_AUTO_TEST_CASE(one_of_a_job_that_is_there_is_left_to_its_supervisor) {
  workloads_fixture f;
  f.listed();
  f.see(f.job_object("a"));
  f.see(f.workload().deleting());
  BOOST_TEST(f.released == strings{}, per_element());
  f.send(f.subject, actors::job_deleted{tf_kind, std::make_shared<k8s::object>(
                                                     f.job_object("a"))});
  BOOST_TEST(f.released == of_a, per_element());
}

BOOST_AUTO_TEST_CASE(what_a_replica_that_does_not_lead_saw_is_released_later) {
  workloads_fixture f{false};
  f.listed();
  f.see(f.workload().deleting());
  auto gone = f.workload().uid("gone").deleting();
  f.see(gone);
  f.forget(gone);
  BOOST_TEST(f.released == strings{}, per_element());
  f.lead();
  BOOST_TEST(f.released == of_a, per_element());
}

BOOST_AUTO_TEST_CASE(one_of_no_job_is_nobodys) {
  workloads_fixture f;
  f.listed();
  auto o = f.workload().deleting().object();
  o.meta.owners.clear();
  f.send(f.subject, actors::child_seen{core::child_kind::workload,
                                       std::make_shared<k8s::object>(o), 1});
  BOOST_TEST(f.released == strings{}, per_element());
}

BOOST_AUTO_TEST_SUITE_END()
