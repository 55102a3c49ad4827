#include "k8s/node/volumes/resource_fields.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(resource_fields_test)

BOOST_AUTO_TEST_CASE(quantities_are_read_in_thousandths) {
  struct row {
    json quantity;
    std::optional<std::int64_t> milli;
  } rows[] = {
      {"1", 1000},
      {2, 2000},
      {0.5, 500},
      {"1500m", 1500},
      {"0.1", 100},
      {"1.5", 1500},
      {"100u", 1}, // Rounded up.
      {"1n", 1},
      {"0", 0},
      {"+1", 1000},
      {"1k", 1'000'000},
      {"1e3", 1'000'000},
      {"1E3", 1'000'000},
      {"1Ki", 1'024'000},
      {"0.5Mi", 524'288'000},
      {"512Mi", 536'870'912'000},
      {"1Pi", 1'125'899'906'842'624'000},
      {"", std::nullopt},
      {"-1", std::nullopt},
      {"Mi", std::nullopt},
      {"1 Mi", std::nullopt},
      {"1mi", std::nullopt},
      {"1.2.3", std::nullopt},
      {"1e", std::nullopt},
      {"1e99", std::nullopt},
      {"999999999999999999Ei", std::nullopt},
      {"9999999999999999999999", std::nullopt},
      {json::array(), std::nullopt},
  };
  for (const auto& r : rows)
    BOOST_TEST((parse_milli_quantity(r.quantity) == r.milli),
               r.quantity.dump());
}

BOOST_AUTO_TEST_CASE(a_reference_counts_in_its_divisor) {
  const auto pod = json::parse(R"({"spec":{
    "initContainers":[{"name":"first","resources":{"limits":{"cpu":"4"}}}],
    "containers":[{"name":"main","resources":{
      "limits":{"cpu":"1500m","memory":"512Mi"},
      "requests":{"cpu":"250m","memory":"256Mi"}}},
      {"name":"bare"}]}})");
  struct row {
    const char* reference;
    const char* value; ///< Or the beginning of the error.
  } rows[] = {
      {R"({"resource":"limits.memory"})", "536870912"},
      {R"({"resource":"limits.memory","divisor":"1Mi"})", "512"},
      {R"({"resource":"limits.memory","divisor":"1Gi"})", "1"},
      {R"({"resource":"limits.memory","divisor":"0"})", "536870912"},
      {R"({"resource":"requests.memory","divisor":"1Mi"})", "256"},
      {R"({"resource":"limits.cpu"})", "2"},
      {R"({"resource":"limits.cpu","divisor":"1m"})", "1500"},
      {R"({"resource":"requests.cpu","divisor":"1m"})", "250"},
      {R"({"resource":"limits.cpu","containerName":"first"})", "4"},
      {R"({"resource":"requests.cpu","containerName":"first"})", "4"},
      // What the host has.
      {R"({"resource":"limits.ephemeral-storage","divisor":"1Ki"})", "7"},
      {R"({"resource":"limits.cpu","containerName":"bare"})", "3"},
      {R"({"resource":"limits.memory","containerName":"bare"})", "5000"},
      {R"({"resource":"requests.memory","containerName":"bare"})", "0"},
      {R"({"resource":"limits.hugepages-2Mi"})", "0"},
      {R"({"resource":"limits.nvidia.com/gpu"})",
       "resourceFieldRef: unsupported container resource: "},
      {R"({"resource":"cpu"})", "resourceFieldRef: unsupported container"},
      {R"({"resource":"limits.cpu","containerName":"gone"})",
       "resourceFieldRef: containerName \"gone\" is no container"},
      {R"({"resource":"limits.cpu","divisor":"x"})",
       "resourceFieldRef: divisor is no quantity"},
  };
  for (const auto& r : rows) {
    auto text =
        resource_field_text(pod, &pod["spec"]["containers"][0],
                            json::parse(r.reference), {3000, 5000, 7 * 1024});
    auto got = text ? *text : text.error().message;
    if (text)
      BOOST_TEST(got == r.value, r.reference);
    else
      BOOST_TEST(got.rfind(r.value, 0) == 0u, got);
  }
}

BOOST_AUTO_TEST_CASE(a_quantity_that_is_none_is_named) {
  const auto c = json::parse(R"({"resources":{"limits":{"cpu":"many"}}})");
  auto text =
      resource_field_text({}, &c, {{"resource", "limits.cpu"}}, {1, 1, 1});
  BOOST_REQUIRE(!text);
  BOOST_TEST(text.error().message
             == "resourceFieldRef: limits.cpu is no quantity: \"many\"");
}

BOOST_AUTO_TEST_CASE(this_host_has_something) {
  auto host = read_host_resources();
  BOOST_TEST(host.milli_cpus >= 1000);
  BOOST_TEST(host.memory > 1'000'000);
  BOOST_TEST(host.storage > 1'000'000);
}

BOOST_AUTO_TEST_SUITE_END()
