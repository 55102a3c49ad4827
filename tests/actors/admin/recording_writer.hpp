#pragma once

#include "k8s/http/server.hpp"

namespace troupe::fixtures {

/// Keeps what is answered.
struct recording_writer : k8s::http::response_writer {
  void reply(k8s::http::response r) override { answer = std::move(r); }
  void start(k8s::http::response head) override {
    answer = std::move(head);
    started = true;
  }
  void write(std::string piece) override { written += piece; }
  void finish() override { finished = true; }
  void on_disconnect(std::function<void()> f) override { gone = std::move(f); }

  std::size_t backlog() const override { return unsent; }

  k8s::http::response answer;
  std::size_t unsent = 0;
  bool started = false;
  bool finished = false;
  std::string written; ///< After the start.
  std::function<void()> gone;
};

} // namespace troupe::fixtures
