#pragma once

#include "k8s/api.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace troupe::fixtures {

/// Logs that the test writes; calls go to another API.
struct log_api : k8s::api {
  struct opened_log {
    k8s::request request;
    k8s::watch_sink sink;
    bool closed = false;
  };
  struct session : k8s::watch_session {
    explicit session(std::shared_ptr<opened_log> l)
        : log(std::move(l)) {}
    ~session() override { log->closed = true; }
    std::shared_ptr<opened_log> log;
  };

  explicit log_api(std::shared_ptr<k8s::api> other = nullptr)
      : calls(std::move(other)) {}

  void send(k8s::request r, std::chrono::milliseconds limit,
            std::function<void(k8s::result<std::string>)> done) override {
    sent.push_back(r);
    calls->send(std::move(r), limit, std::move(done));
  }
  std::unique_ptr<k8s::watch_session> watch(k8s::request r,
                                            std::chrono::milliseconds,
                                            k8s::watch_sink sink) override {
    logs.push_back(std::make_shared<opened_log>(
        opened_log{std::move(r), std::move(sink)}));
    if (accepts && logs.back()->sink.opened)
      logs.back()->sink.opened();
    return std::make_unique<session>(logs.back());
  }

  std::shared_ptr<k8s::api> calls;
  bool accepts = true; ///< Requests for logs, at once.
  std::vector<k8s::request> sent;
  std::vector<std::shared_ptr<opened_log>> logs;
};

} // namespace troupe::fixtures
