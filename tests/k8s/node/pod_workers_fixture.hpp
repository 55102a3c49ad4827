#pragma once

#include "k8s/node/base/files.hpp"
#include "k8s/node/pods/pod_workers.hpp"
#include "tests/fixtures/scratch_directory.hpp"
#include "tests/k8s/recording_api.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>

namespace troupe::k8s::node {

/// Pods that were added to a node and are never started.
struct pod_workers_fixture {
  pod_workers_fixture() {
    BOOST_REQUIRE(!make_directory_and_parents(path + "/hosts"));
  }

  /// Does what is due, timers included.
  void run() {
    io->restart();
    io->run();
  }

  fixtures::scratch_directory scratch;
  const std::string& path = scratch.path();
  node_directory directory{path};
  node_options options;
  std::shared_ptr<boost::asio::io_context> io =
      std::make_shared<boost::asio::io_context>();
  std::shared_ptr<recording_api> server = std::make_shared<recording_api>();
  node_client client{io, server};
  config_source_reader sources{client};
  pod_workers workers{*io, client, sources, directory, options, {[] {}, [] {}}};
};

} // namespace troupe::k8s::node
