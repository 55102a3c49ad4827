#include "k8s/node/files.hpp"
#include "k8s/node/namespaces/cluster_namespaces.hpp"
#include "k8s/node/namespaces/namespace_protocol.h"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>

using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(cluster_namespaces_test)

BOOST_AUTO_TEST_CASE(an_answer_without_its_descriptors_is_an_error) {
  std::string directory = "/tmp/troupe-holder-XXXXXX";
  BOOST_REQUIRE(mkdtemp(directory.data()));
  // It says that all is well, and sends nothing along.
  auto holder = directory + "/holder";
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
  std::filesystem::remove_all(directory);
}

BOOST_AUTO_TEST_SUITE_END()
