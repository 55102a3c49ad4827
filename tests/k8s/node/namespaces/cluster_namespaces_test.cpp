#include "k8s/general/files.hpp"
#include "k8s/node/namespaces/cluster_namespaces.hpp"
#include "k8s/node/namespaces/namespace_protocol.h"
#include "tests/fixtures/scratch_directory.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(cluster_namespaces_test)

BOOST_AUTO_TEST_CASE(an_answer_without_its_descriptors_is_an_error) {
  troupe::fixtures::scratch_directory scratch;
  // It says that all is well, and sends nothing along.
  auto holder = scratch.path() + "/holder";
  BOOST_REQUIRE(!write_file_atomically(
      holder,
      "#!/bin/sh\nexec /usr/bin/head -c "
          + std::to_string(sizeof(holder_answer)) + " /dev/zero >&"
          + std::to_string(HOLDER_FD) + "\n",
      0700));
  auto started = cluster_namespaces::start(holder, {});
  BOOST_REQUIRE(!started);
  BOOST_TEST(started.error().message.find("no file descriptor")
             != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
