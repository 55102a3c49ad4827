#include "k8s/general/architecture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(architecture_test)

BOOST_AUTO_TEST_CASE(names_are_those_of_container_images) {
  const struct {
    const char* machine;
    const char* name;
  } rows[] = {{"x86_64", "amd64"},    {"aarch64", "arm64"},
              {"ppc64le", "ppc64le"}, {"s390x", "s390x"},
              {"riscv64", "riscv64"}, {"", ""}};
  for (const auto& r : rows)
    BOOST_TEST(architecture_of(r.machine) == r.name);
}

BOOST_AUTO_TEST_CASE(the_host_is_what_the_tests_were_built_for) {
#if defined __x86_64__
  BOOST_TEST(host_architecture() == "amd64");
#elif defined __aarch64__
  BOOST_TEST(host_architecture() == "arm64");
#else
  BOOST_TEST(!host_architecture().empty());
#endif
}

BOOST_AUTO_TEST_SUITE_END()
