#include "k8s/node/service_hosts_writer.hpp"
#include "tests/k8s/node/pod_workers_fixture.hpp"

#include <fstream>
#include <iterator>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(service_hosts_writer_test)

namespace {

struct writer_fixture : pod_workers_fixture {
  void add_pod(const std::string& ns, const std::string& name) {
    auto pod = pod_named(name);
    pod["metadata"]["namespace"] = ns;
    pod["metadata"]["labels"]["app"] = name;
    workers.add_pod_or_mark_failed(pod);
  }

  static json service(const std::string& uid, const std::string& name,
                      const std::string& app) {
    return {{"metadata", {{"name", name}, {"namespace", "n"}, {"uid", uid}}},
            {"spec", {{"selector", {{"app", app}}}}}};
  }

  /// The first line of the namespace's file, or "none" without a file.
  std::string first_line(const std::string& ns) {
    std::ifstream file(directory.hosts_file(ns));
    std::string line = "none";
    if (file)
      std::getline(file, line = "");
    return line;
  }

  std::string address() {
    return workers.non_terminal_named_pods().at(0).address;
  }

  int written = 0;
  service_hosts_writer writer{*io, directory, "x.y", workers,
                              [this] { ++written; }};
};

} // namespace

BOOST_FIXTURE_TEST_CASE(a_service_has_the_address_of_its_pod, writer_fixture) {
  add_pod("n", "p");
  writer.set_service_and_schedule_write(service("1", "s", "p"));
  BOOST_TEST(first_line("n") == "none");
  run();
  BOOST_TEST(first_line("n") == address() + " s");
}

BOOST_FIXTURE_TEST_CASE(changes_that_come_together_are_written_once,
                        writer_fixture) {
  add_pod("n", "p");
  writer.set_service_and_schedule_write(service("1", "s", "p"));
  writer.set_service_and_schedule_write(service("2", "t", "p"));
  writer.schedule_write();
  BOOST_TEST(written == 0);
  run();
  BOOST_TEST(written == 1);
  writer.schedule_write();
  run();
  BOOST_TEST(written == 2);
}

BOOST_FIXTURE_TEST_CASE(a_changed_service_takes_the_place_of_the_old_one,
                        writer_fixture) {
  add_pod("n", "p");
  writer.set_service_and_schedule_write(service("1", "s", "none"));
  run();
  BOOST_TEST(first_line("n") == "- s");
  writer.set_service_and_schedule_write(service("1", "s", "p"));
  run();
  BOOST_TEST(first_line("n") == address() + " s");
}

BOOST_FIXTURE_TEST_CASE(a_removed_service_has_no_name, writer_fixture) {
  add_pod("n", "p");
  writer.set_service_and_schedule_write(service("1", "s", "p"));
  run();
  writer.remove_service_and_schedule_write("1");
  run();
  BOOST_TEST(written == 2);
  BOOST_TEST(first_line("n") == "");
}

BOOST_FIXTURE_TEST_CASE(each_namespace_with_pods_has_a_file, writer_fixture) {
  add_pod("n", "p");
  add_pod("m", "q");
  writer.set_service_and_schedule_write(service("1", "s", "p"));
  run();
  BOOST_TEST(first_line("n").find(" s") != std::string::npos);
  BOOST_TEST(first_line("m").find(" s.n") != std::string::npos);
  BOOST_TEST(first_line("o") == "none");
}

BOOST_FIXTURE_TEST_CASE(a_namespace_that_cannot_be_written_stops_no_other,
                        writer_fixture) {
  add_pod("m", "q");
  add_pod("n", "p");
  // A directory cannot be replaced by a file.
  BOOST_REQUIRE(
      !make_directory_and_parents(directory.hosts_file("m") + "/full"));
  writer.set_service_and_schedule_write(service("1", "s", "p"));
  run();
  BOOST_TEST(first_line("n").find(" s") != std::string::npos);
  BOOST_TEST(written == 1);
}

BOOST_AUTO_TEST_SUITE_END()
