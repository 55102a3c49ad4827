#include "k8s/rest/port_forward.hpp"

#include "k8s/rest/forwarded_call.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <thread>
#include <vector>

namespace troupe::k8s::rest {

namespace {

using clock = std::chrono::steady_clock;

/// Whether it is a GET without a body, which ends.
bool is_plain_read(const request& r) {
  return (r.method == verb::get || r.method == verb::list) && r.body.empty();
}

class port_forward_api : public api {
public:
  port_forward_api(client_config config, pod_port to)
      : config_(std::move(config))
      , to_(std::move(to))
      , work_(io_.get_executor())
      , thread_([this] { io_.run(); }) {}

  ~port_forward_api() override {
    boost::asio::post(io_, [this] {
      for (const auto& weak : calls_)
        if (auto call = weak.lock())
          call->cancel();
      work_.reset();
    });
    thread_.join();
  }

  void send(request r, std::chrono::milliseconds limit,
            std::function<void(result<std::string>)> done) override {
    if (!is_plain_read(r)) {
      boost::asio::post(io_, [done = std::move(done), method = r.method] {
        done(failure{ec::invalid,
                     std::string{"calls to "} + to_string(method)
                         + " are not forwarded to a pod, only reads are; "
                           "call its server's own address"});
      });
      return;
    }
    boost::asio::post(io_,
                      [this, r = std::move(r), limit, done = std::move(done)] {
                        start_call(r, limit, done);
                      });
  }

  std::unique_ptr<watch_session> watch(request, std::chrono::milliseconds,
                                       watch_sink sink) override {
    boost::asio::post(io_, [ended = std::move(sink.ended)] {
      ended(failure{ec::bug, "watches cannot be forwarded"});
    });
    return std::make_unique<watch_session>();
  }

private:
  // All on the thread.

  void start_call(const request& r, std::chrono::milliseconds limit,
                  const std::function<void(result<std::string>)>& done) {
    if (auto known = refresh_credential_if_expired(); !known) {
      done(known.error());
      return;
    }
    calls_.erase(std::remove_if(calls_.begin(), calls_.end(),
                                [](const auto& c) { return c.expired(); }),
                 calls_.end());
    auto call = make_forwarded_call(
        io_, {server_, credential_.token, to_, r.path}, limit, done);
    calls_.push_back(call);
    call->start();
  }

  result<nothing> refresh_credential_if_expired() {
    if (clock::now() < credential_good_until_)
      return nothing{};
    auto found = config_.get_credential();
    if (!found)
      return failure{ec::unauthenticated,
                     "cannot log in: " + found.error().message};
    if (config_.get_authorities)
      if (auto pem = config_.get_authorities())
        config_.ca_pem = std::move(*pem);
    try {
      server_ = std::make_shared<server_endpoint>(config_, *found);
    } catch (const std::exception& e) {
      return failure{ec::invalid, "\"" + config_.server
                                      + "\" is no usable address (" + e.what()
                                      + "); check server in " + config_.origin};
    }
    credential_ = std::move(*found);
    credential_good_until_ = credential_.life.count() > 0
                                 ? clock::now() + credential_.life
                                 : clock::time_point::max();
    return nothing{};
  }

  client_config config_;
  pod_port to_;
  credential credential_;
  std::shared_ptr<server_endpoint> server_; ///< With the credential.
  clock::time_point credential_good_until_{};
  std::vector<std::weak_ptr<forwarded_call>> calls_;
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type>
      work_;
  std::thread thread_;
};

} // namespace

std::unique_ptr<api> make_port_forward_api(client_config config, pod_port to) {
  return std::make_unique<port_forward_api>(std::move(config), std::move(to));
}

} // namespace troupe::k8s::rest
