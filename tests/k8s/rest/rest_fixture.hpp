#pragma once

#include "k8s/calls.hpp"
#include "k8s/rest/rest_api.hpp"
#include "tests/k8s/rest/scripted_server.hpp"

#include <boost/test/unit_test.hpp>

#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <string>

namespace troupe::k8s::rest {

constexpr std::chrono::seconds timeout{30};

inline const object_ref pod{resources::pods, "ns", "p"};
inline const selection pods{resources::pods, "ns", "", ""};

inline client_config to(const std::string& server,
                        const std::string& token = "") {
  client_config c;
  c.server = server;
  c.origin = "/etc/kubeconfig (context test)";
  c.get_credential = [token] {
    credential l;
    l.token = token;
    return result<credential>{l};
  };
  return c;
}

/// Sends a call and waits for its answer.
inline result<std::string> ask(api& a, request r,
                               std::chrono::milliseconds limit = timeout) {
  auto promise = std::make_shared<std::promise<result<std::string>>>();
  auto answer = promise->get_future();
  a.send(std::move(r), limit, [promise](result<std::string> outcome) {
    promise->set_value(std::move(outcome));
  });
  if (answer.wait_for(timeout) != std::future_status::ready)
    return failure{ec::bug, "never answered"};
  return answer.get();
}

inline void check_failure(const result<std::string>& r, ec code,
                          const std::string& part = "") {
  BOOST_REQUIRE_MESSAGE(!r, "succeeded");
  BOOST_CHECK_MESSAGE(r.error().code == code, to_string(r.error().code)
                                                  << ": " << r.error().message);
  BOOST_CHECK_MESSAGE(r.error().message.find(part) != std::string::npos,
                      r.error().message);
}

/// Answers every request the same way.
inline scripted_server::script always(int status, std::string body,
                                      std::string headers = "") {
  return [=](peer& p) {
    while (p.read())
      p.answer(status, body, headers);
  };
}

/// Records what a watch receives.
class watch_recorder {
public:
  watch_sink sink() {
    return {[this](std::string_view piece) {
              std::lock_guard guard{mutex_};
              bytes_ += piece;
              changed_.notify_all();
            },
            [this](result<nothing> how) {
              std::lock_guard guard{mutex_};
              ++ends_;
              how_.emplace(std::move(how));
              changed_.notify_all();
            }};
  }

  bool wait_for(const std::string& bytes) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, timeout, [&] { return bytes_ == bytes; });
  }

  bool wait_for_end() {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, timeout, [&] { return ends_ > 0; });
  }

  result<nothing> how() {
    std::lock_guard guard{mutex_};
    return how_.value_or(failure{ec::bug, "never ended"});
  }

  std::string bytes() {
    std::lock_guard guard{mutex_};
    return bytes_;
  }

  int ends() {
    std::lock_guard guard{mutex_};
    return ends_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string bytes_;
  int ends_ = 0;
  std::optional<result<nothing>> how_;
};

/// Lets a script wait for the test, or the test for a script.
class signal_flag {
public:
  void raise() {
    if (!raised_.exchange(true))
      promise_.set_value();
  }
  bool wait() { return future_.wait_for(timeout) == std::future_status::ready; }

private:
  std::atomic<bool> raised_{false};
  std::promise<void> promise_;
  std::shared_future<void> future_{promise_.get_future()};
};

} // namespace troupe::k8s::rest
