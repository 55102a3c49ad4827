#pragma once

#include "tests/fixtures/fake_api.hpp"

namespace troupe::simulation {

/// A fake API server that knows which process of the operator has sent a write:
/// its field manager. When the process has ended, its writes that are in the
/// network still take effect, but nobody reads the answers.
class simulated_api_server : public fixtures::fake_api {
public:
  void send(k8s::request r, std::chrono::milliseconds limit,
            std::function<void(k8s::result<std::string>)> done) override;

  /// The present process, from 1.
  int process() const { return process_; }
  /// A new process; what the former one has sent stays in the network.
  void start_next_process() { ++process_; }

private:
  int process_ = 1;
};

/// Whether the request changes something.
bool is_write(const k8s::request& r);

/// The process that has sent a write.
int process_of(const k8s::request& r);

} // namespace troupe::simulation
