#include "k8s/node/base/files.hpp"
#include "k8s/node/pods/pod_run.hpp"
#include "tests/fixtures/scratch_directory.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include <deque>
#include <memory>
#include <string>
#include <vector>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

namespace {

const config_source_name hosts{"ConfigMap", "hosts"};
const config_source_name key{"Secret", "key"};

config_source_content content(const char* text) {
  return std::map<std::string, std::string>{{"file", text}};
}

/// A pod without containers, whose volumes show a ConfigMap and a Secret. What
/// it reads is answered by the test.
struct volumes_fixture {
  volumes_fixture() {
    pod_run_options o{io, {}, {}, {}, {}, {}, {}, {}, {}};
    o.sandbox.volumes_directory = scratch.path();
    o.read_config_sources = [this](std::vector<config_source_name> names,
                                   std::function<void(config_sources)> handle) {
      BOOST_TEST(names.size() == 2u);
      reads.push_back(std::move(handle));
    };
    o.on_status = [](const pod_runtime_status&) {};
    o.on_warning = [this](const std::string&, const std::string& message) {
      warnings.push_back(message);
    };
    o.on_terminated = [] {};
    run = std::make_shared<pod_run>(json::parse(R"({
      "metadata": {"name": "p", "namespace": "default", "uid": "u"},
      "spec": {"containers": [], "volumes": [{"name": "v", "projected":
        {"sources": [
          {"configMap": {"name": "hosts",
                         "items": [{"key": "file", "path": "hosts"}]}},
          {"secret": {"name": "key",
                      "items": [{"key": "file", "path": "key"}]}}]}}]}})"),
                                    std::move(o));
    run->start();
  }

  void answer(const char* hosts_text, const char* key_text = "k") {
    BOOST_REQUIRE(!reads.empty());
    auto handle = std::move(reads.front());
    reads.pop_front();
    handle({{hosts, content(hosts_text)}, {key, content(key_text)}});
  }

  std::string shown(const char* name) {
    auto text = read_file(scratch.path() + "/v/" + name);
    return text ? *text : "(none)";
  }

  troupe::fixtures::scratch_directory scratch;
  boost::asio::io_context io;
  std::deque<std::function<void(config_sources)>> reads;
  std::vector<std::string> warnings;
  std::shared_ptr<pod_run> run;
};

} // namespace

BOOST_FIXTURE_TEST_CASE(what_is_read_is_shown, volumes_fixture) {
  answer("a");
  BOOST_TEST(shown("hosts") == "a");
  BOOST_TEST(shown("key") == "k");
  BOOST_TEST(reads.empty());
}

BOOST_FIXTURE_TEST_CASE(a_change_before_the_first_answer_is_not_lost,
                        volumes_fixture) {
  run->update_volumes(hosts, content("b"));
  answer("a"); // It was read before the change.
  BOOST_TEST(shown("hosts") == "(none)");
  answer("b");
  BOOST_TEST(shown("hosts") == "b");
  BOOST_TEST(reads.empty());
}

BOOST_FIXTURE_TEST_CASE(a_change_of_another_object_reads_nothing_again,
                        volumes_fixture) {
  run->update_volumes({"ConfigMap", "other"}, content("b"));
  answer("a");
  BOOST_TEST(shown("hosts") == "a");
  BOOST_TEST(reads.empty());
}

BOOST_FIXTURE_TEST_CASE(an_older_answer_replaces_no_newer_file,
                        volumes_fixture) {
  answer("a");
  run->update_volumes(hosts, content("b")); // Reads the Secret beside it.
  run->update_volumes(hosts, content("c"));
  BOOST_TEST(reads.size() == 2u);
  answer("b");
  BOOST_TEST(shown("hosts") == "a"); // Until all of the volume is known.
  answer("c");
  BOOST_TEST(shown("hosts") == "c");
  BOOST_TEST(reads.size() == 1u); // In place of the first.
  answer("c");
  BOOST_TEST(reads.empty());
  BOOST_TEST(shown("hosts") == "c");
  BOOST_TEST(warnings.empty());
}

BOOST_FIXTURE_TEST_CASE(nothing_is_written_for_a_pod_that_ends,
                        volumes_fixture) {
  run->terminate(std::chrono::seconds{0});
  run->update_volumes(hosts, content("b"));
  while (!reads.empty())
    answer("b");
  BOOST_TEST(shown("hosts") == "(none)");
}
