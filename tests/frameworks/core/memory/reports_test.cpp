#include "frameworks/core/memory/job_memory.hpp"
#include "tests/frameworks/mpi_ssh/ssh_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using core::child_kind;
using k8s::pod_phase;

BOOST_AUTO_TEST_SUITE(reports_test)

namespace {

struct reports_fixture {
  core::job_ptr j;
  core::job_memory memory;

  explicit reports_fixture(core::job job)
      : j(std::make_shared<const core::job>(std::move(job))) {
    memory.set_job_and_forget_obsolete_failures(j);
  }

  void see(child_kind kind, const k8s::object& o) {
    memory.record_child_seen(kind, o, core::claims_on_kind(o.meta, *j->kind), 1,
                             {});
  }
  void see(const child_builder& c) { see(c.what(), c.object(*j)); }

  bool takes(const std::string& pod_uid, int percent = 45) {
    core::progress_status told;
    told.percent = percent;
    bool would = memory.takes_reports_of(pod_uid);
    bool taken = memory.record_report(pod_uid, told, base_time).has_value();
    BOOST_TEST(would == taken);
    return taken;
  }
};

core::job reporting_job() {
  return make_job().workers(2).policy("progress", {{"report", true}}).get();
}

} // namespace

BOOST_AUTO_TEST_CASE(a_pod_of_the_job_reports_until_it_has_ended) {
  reports_fixture f{reporting_job()};
  BOOST_TEST(!f.takes("pod-worker-0")); // It was not seen yet.
  f.see(pod("worker", 0));
  BOOST_TEST(f.takes("pod-worker-0"));
  const auto& told = *f.memory.observed().reported();
  BOOST_TEST(told.percent.value() == 45);
  BOOST_TEST(told.source == "job-worker-0");
  BOOST_TEST((told.time == base_time));
  f.see(pod("worker", 0).running().version(2));
  BOOST_TEST(f.takes("pod-worker-0"));
  f.see(pod("worker", 0).succeeded().version(3));
  BOOST_TEST(!f.takes("pod-worker-0", 46));
  f.see(pod("worker", 1).failed().version(3));
  BOOST_TEST(!f.takes("pod-worker-1", 46));
  BOOST_TEST(f.memory.observed().reported()->percent.value() == 45);
}

BOOST_AUTO_TEST_CASE(no_other_pod_reports) {
  reports_fixture f{reporting_job()};
  BOOST_TEST(!f.takes(""));
  BOOST_TEST(!f.takes("stranger"));
  f.see(service("worker", 0));
  BOOST_TEST(!f.takes("service-worker-0"));
  // It has the job's labels, and belongs to nobody.
  auto orphan = pod("worker", 1).object(*f.j);
  orphan.meta.owners.clear();
  f.see(child_kind::pod, orphan);
  BOOST_TEST(!f.takes(orphan.meta.uid));
}

BOOST_AUTO_TEST_CASE(a_job_that_does_not_ask_takes_none) {
  for (const auto& j :
       {make_job().workers(1).get(),
        make_job().workers(1).policy("progress", {{"report", false}}).get()}) {
    reports_fixture f{j};
    f.see(pod("worker", 0).running());
    BOOST_TEST(!f.takes("pod-worker-0"));
  }
}

BOOST_AUTO_TEST_CASE(the_pod_of_its_launchers_job_is_the_jobs) {
  auto spec = ssh_spec();
  spec["runPolicy"]["progress"]["report"] = true;
  reports_fixture f{make_ssh_job(spec)};
  auto made = launcher_pod(*f.j, pod_phase::running);
  f.see(child_kind::pod, made);
  BOOST_TEST(!f.takes(made.meta.uid)); // Labels alone prove nothing.
  f.see(child_kind::launcher_job, launcher_job(*f.j));
  BOOST_TEST(f.takes(made.meta.uid));
}

BOOST_AUTO_TEST_SUITE_END()
