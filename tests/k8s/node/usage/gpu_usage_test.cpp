#include "k8s/node/usage/gpu_usage.hpp"
#include "tests/fixtures/scratch_directory.hpp"
#include "tests/k8s/node/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(gpu_usage_test)

namespace {

/// A program in the place of nvidia-smi; its path.
std::string write_program(const std::string& directory,
                          const std::string& script) {
  auto path = directory + "/smi";
  std::ofstream{path} << "#!/bin/sh\n" << script;
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

std::optional<gpu_usage> measured_gpus(node_fixture& l,
                                       const std::string& pod) {
  return l.measure_usage(pod)["main"].gpus;
}

json gpu_pod(const std::string& name, const std::string& script) {
  auto out = node_fixture::pod(name, script);
  out["spec"]["containers"][0]["resources"] = {
      {"limits", {{"nvidia.com/gpu", 2}}}};
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(lines_of_the_program_are_read) {
  auto known = parse_nvidia_smi_output("0, 85, 1024\n"
                                       "3, [N/A], 5\n"
                                       "1,7,[Not Supported]\n"
                                       "NVIDIA-SMI has failed, it says, so\n"
                                       "4, 5\n-1, 2, 3\n99999999999, 1, 1\n");
  BOOST_REQUIRE(known.size() == 3u);
  BOOST_TEST(known[0].busy == 0.85);
  BOOST_TEST(known[0].memory == 1024 << 20);
  BOOST_TEST(known[3].busy == 0);
  BOOST_TEST(known[3].memory == 5 << 20);
  BOOST_TEST(known[1].busy == 0.07);
  BOOST_TEST(known[1].memory == 0);
  auto sum = sum_gpu_usage(known, {0, 3, 7});
  BOOST_REQUIRE(sum.has_value());
  BOOST_TEST(sum->memory == 1029 << 20);
  BOOST_TEST(!sum_gpu_usage(known, {7}).has_value());
  BOOST_TEST(!sum_gpu_usage(known, {}).has_value());
  BOOST_TEST(parse_nvidia_smi_output("").empty());
}

BOOST_AUTO_TEST_CASE(pods_use_the_gpus_that_they_have) {
  scratch_directory programs;
  node_fixture l([&](node_options& o) {
    o.gpus = {1, 3};
    // It answers only who asks in this way.
    o.gpu_usage_program = write_program(
        programs.path(),
        "[ \"$*\" = '--query-gpu=index,utilization.gpu,memory.used "
        "--format=csv,noheader,nounits' ] || exit 1\n"
        "printf '0, 100, 9\\n1, 50, 2\\n3, 25, 1\\n'");
  });
  l.create(gpu_pod("trains", "echo up; sleep 600"));
  l.wait_for_log("trains", "up");
  BOOST_REQUIRE(
      eventually([&] { return measured_gpus(l, "trains").has_value(); }));
  auto used = measured_gpus(l, "trains");
  BOOST_TEST(used->busy == 0.75);
  BOOST_TEST(used->memory == 3 << 20);
}

BOOST_AUTO_TEST_CASE(nobody_waits_for_a_program_that_hangs_or_is_missing) {
  scratch_directory programs;
  for (const auto& program :
       {write_program(programs.path(), "exec sleep 600"), std::string{"/no"}}) {
    node_fixture l([&](node_options& o) {
      o.gpus = {0, 1};
      o.gpu_usage_program = program;
    });
    l.create(gpu_pod("trains", "echo up; sleep 600"));
    l.wait_for_log("trains", "up");
    for (int i = 0; i < 2; ++i)
      BOOST_TEST(!measured_gpus(l, "trains").has_value());
  }
}

BOOST_AUTO_TEST_SUITE_END()
