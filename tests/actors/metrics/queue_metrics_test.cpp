#include "actors/metrics/queue_metrics.hpp"
#include "tests/actors/metric_value.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(queue_metrics_test)

namespace {

constexpr k8s::time_point begin{std::chrono::seconds{1'770'000'000}};

core::queue_use held(const std::string& queue, k8s::time_point since = begin) {
  core::queue_use use;
  use.queue = queue;
  use.is_held = true;
  use.held_since = since;
  return use;
}

core::queue_use admitted(const std::string& queue, k8s::time_point at) {
  core::queue_use use;
  use.queue = queue;
  use.admitted_at = at;
  return use;
}

std::string labels(const std::string& queue) {
  return "{job_namespace=\"ns\",queue=\"" + queue + "\"}";
}

} // namespace

BOOST_AUTO_TEST_CASE(jobs_that_are_held_by_queue) {
  actors::metrics m;
  auto count = [&](const std::string& queue) {
    return metric_text(m, "troupe_jobs_held" + labels(queue));
  };
  auto one = m.add_job_meter("jax");
  auto two = m.add_job_meter("mpi");
  BOOST_TEST(count("a") == "");
  one->set_queue_use("ns", held("a"), begin);
  two->set_queue_use("ns", held("a"), begin);
  BOOST_TEST(count("a") == "2");
  one->set_queue_use("ns", held("b"), begin);
  BOOST_TEST(count("a") == "2"); // It is counted where it began to wait.
  one->set_queue_use("ns", admitted("b", begin), begin);
  two.reset();
  BOOST_TEST(count("a") == "0");
}

BOOST_AUTO_TEST_CASE(the_time_to_admission_is_that_of_the_whole_wait) {
  actors::metrics m;
  auto one = m.add_job_meter("jax");
  auto value = [&](const char* what) {
    return metric_text(m, std::string{"troupe_queue_admission_seconds_"} + what
                              + labels("a"));
  };
  one->set_queue_use("ns", admitted("a", begin), begin);
  BOOST_TEST(value("count") == ""); // It was admitted before it was known.
  one->set_queue_use("ns", held("a", begin + 10s), begin);
  one->set_queue_use("ns", held("a", begin + 15s), begin); // Quota only.
  one->set_queue_use("ns", admitted("a", begin + 30s), begin);
  BOOST_TEST(value("count") == "1");
  BOOST_TEST(value("sum") == "20");
}

BOOST_AUTO_TEST_CASE(later_queues_are_one) {
  actors::metrics m;
  std::vector<std::unique_ptr<actors::job_meter>> jobs;
  for (std::size_t i = 0; i < actors::queue_metrics::most_queues + 2; ++i) {
    jobs.push_back(m.add_job_meter("jax"));
    jobs.back()->set_queue_use("ns", held("q" + std::to_string(i)), begin);
  }
  BOOST_TEST(metric_text(m, "troupe_jobs_held" + labels("q99")) == "1");
  BOOST_TEST(metric_text(m, "troupe_jobs_held" + labels("q100")) == "");
  BOOST_TEST(metric_text(m, "troupe_jobs_held{job_namespace=\"\",queue="
                            "\"other\"}")
             == "2");
}

BOOST_AUTO_TEST_CASE(quota_that_is_held_until_pods_have_gone) {
  actors::metrics m;
  auto text = [&](k8s::time_point now) {
    auto all = m.exposition_text(now, nullptr);
    auto value = [&](const std::string& name) {
      auto at = all.find("\n" + name + " ");
      at += name.size() + 2;
      return all.substr(at, all.find('\n', at) - at);
    };
    return value("troupe_kueue_workloads_awaiting_release") + " "
           + value("troupe_kueue_oldest_release_seconds");
  };
  BOOST_TEST(text(begin) == "0 0");
  auto evicted = held("a");
  evicted.awaits_release = true;
  evicted.release_due = begin - 5s;
  auto one = m.add_job_meter("jax");
  one->set_queue_use("ns", evicted, begin);
  BOOST_TEST(text(begin) == "1 5");
  auto deleted = admitted("a", begin);
  deleted.awaits_release = true;
  auto two = m.add_job_meter("jax");
  two->set_queue_use("ns", deleted, begin - 10s);
  BOOST_TEST(text(begin) == "2 10");
  m.set_releases_of_gone_jobs(3, begin - 60s);
  BOOST_TEST(text(begin) == "5 60");
  one.reset();
  two.reset();
  m.set_releases_of_gone_jobs(0, std::nullopt);
  BOOST_TEST(text(begin) == "0 0");
}

BOOST_AUTO_TEST_SUITE_END()
