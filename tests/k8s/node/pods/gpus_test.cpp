#include "k8s/node/pods/gpus.hpp"
#include "tests/fixtures/scratch_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(gpus_test)

namespace {

/// A pod whose containers have these limits.
json pod_with_limits(std::initializer_list<json> limits) {
  json out{{"spec", {{"containers", json::array()}}}};
  for (const auto& l : limits)
    out["spec"]["containers"].push_back({{"resources", {{"limits", l}}}});
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(devices_are_found_by_their_files) {
  troupe::fixtures::scratch_directory scratch;
  const auto& devices = scratch.path();
  for (auto name :
       {"nvidia0", "nvidia10", "nvidia2", "nvidiactl", "nvidia-uvm", "tty0"})
    std::ofstream{devices + "/" + name};
  struct row {
    const char* visible;
    std::vector<int> found;
  } rows[] = {
      {nullptr, {0, 2, 10}},  {"2,0", {0, 2}}, {"", {}}, {"7", {}},
      {"2, 0", {0, 2, 10}}, // Not understood.
      {"GPU-1e", {0, 2, 10}},
  };
  for (const auto& r : rows)
    BOOST_TEST(find_nvidia_gpus(devices, r.visible) == r.found,
               boost::test_tools::per_element());
  std::filesystem::remove_all(devices);
  BOOST_TEST(find_nvidia_gpus(devices, nullptr).empty());
}

BOOST_AUTO_TEST_CASE(what_a_pod_asks_for_is_compared_with_what_there_is) {
  struct row {
    json pod;
    std::size_t gpus;
    std::size_t requested;
    const char* shortage;
    const char* missing;
  } rows[] = {
      {pod_with_limits({{{"cpu", "1"}}}), 0, 0, "", ""},
      {pod_with_limits({{{"nvidia.com/gpu", "1"}}, {{"nvidia.com/gpu", 2}}}), 4,
       3, "", ""},
      {pod_with_limits({{{"nvidia.com/gpu", INT64_MAX}},
                        {{"nvidia.com/gpu", UINT64_MAX}},
                        {{"nvidia.com/gpu", -1}}}),
       4, 4294967294,
       "requested number of devices unavailable for nvidia.com/gpu. "
       "Requested: 4294967294, Available: 4",
       ""},
      {pod_with_limits({{{"nvidia.com/gpu", "5"}}}), 4, 5,
       "requested number of devices unavailable for nvidia.com/gpu. "
       "Requested: 5, Available: 4",
       ""},
      {pod_with_limits({{{"nvidia.com/gpu", "5"}}}), 0, 5, "",
       "5 nvidia.com/gpu"},
      {pod_with_limits({{{"amd.com/gpu", 1}, {"nvidia.com/gpu", 1}}}), 1, 1, "",
       "1 amd.com/gpu"},
      {pod_with_limits({{{"nvidia.com/gpu", "many"}}}), 1, 0, "", ""},
      {pod_with_limits({nullptr}), 1, 0, "", ""},
      {json::object(), 1, 0, "", ""},
  };
  for (const auto& r : rows) {
    BOOST_TEST(count_gpus_without_init_containers(r.pod) == r.requested, r.pod);
    auto shortage = find_unmeetable_gpu_request(r.pod, r.gpus);
    BOOST_TEST((shortage ? shortage->message : "") == r.shortage, r.pod);
    BOOST_TEST(missing_devices_text(r.pod, r.gpus) == r.missing, r.pod);
  }
}

BOOST_AUTO_TEST_CASE(a_pod_has_its_gpus_until_it_is_over) {
  gpu_allocator all{{0, 1, 3}};
  BOOST_TEST((all.allocate("a", 2) == std::vector<int>{0, 1}));
  BOOST_TEST(!all.allocate("b", 2));
  BOOST_TEST((all.allocate("b", 1) == std::vector<int>{3}));
  BOOST_TEST(all.count_free() == 0u);
  BOOST_TEST(all.allocate("c", 0)->empty());
  all.release("a");
  all.release("a");
  all.release("never seen");
  BOOST_TEST(all.count_free() == 2u);
  BOOST_TEST(all.total() == 3u);
}

BOOST_AUTO_TEST_SUITE_END()
