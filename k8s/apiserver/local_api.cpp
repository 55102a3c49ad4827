#include "k8s/apiserver/local_api.hpp"

#include "k8s/apiserver/api_server.hpp"
#include "k8s/codec/codec.hpp"
#include "k8s/http/message_format.hpp"
#include "k8s/request_counts.hpp"

#include <mutex>

namespace troupe::k8s::apiserver {

namespace {

result<http::request> to_http_request(request r, const user_ptr& user) {
  http::request out;
  out.user = user;
  out.method = http_method(r.method);
  if (!http::parse_request_target(r.path, out))
    return failure{ec::invalid, "malformed path " + r.path};
  if (r.method == verb::watch)
    out.query["watch"] = "true";
  if (!r.body.empty())
    out.headers["content-type"] =
        r.content_type.empty() ? "application/json" : r.content_type;
  if (!r.accept.empty())
    out.headers["accept"] = std::move(r.accept);
  out.body = std::move(r.body);
  return out;
}

/// The answer to a call that ends. Streams (logs) are collected.
class buffering_response_writer : public http::response_writer {
public:
  explicit buffering_response_writer(
      std::function<void(result<std::string>)> done)
      : done_(std::move(done)) {}
  ~buffering_response_writer() override {
    report_once(failure{ec::cancelled, "the request was dropped"});
  }

  void reply(http::response r) override {
    if (r.status < 400)
      report_once(std::move(r.body));
    else
      report_once(decode_status(r.body, r.status));
  }
  void start(http::response head) override { body_ = std::move(head.body); }
  void write(std::string piece) override { body_ += piece; }
  void finish() override { report_once(std::move(body_)); }
  void on_disconnect(std::function<void()>) override {}

private:
  void report_once(result<std::string> r) {
    if (auto done = std::exchange(done_, nullptr))
      done(std::move(r));
  }

  std::function<void(result<std::string>)> done_;
  std::string body_;
};

/// What a session and its stream share. The session may be destroyed on any
/// thread, even from inside the sink.
struct watch_state {
  std::recursive_mutex lock;
  watch_sink sink;
  bool open = true;
  std::function<void()> gone;
};

class watch_response_writer : public http::response_writer {
public:
  explicit watch_response_writer(std::shared_ptr<watch_state> l)
      : state_(std::move(l)) {}

  void reply(http::response r) override {
    end_watch(r.status < 400
                  ? result<nothing>{nothing{}}
                  : result<nothing>{decode_status(r.body, r.status)});
  }
  void start(http::response) override {
    std::lock_guard guard{state_->lock};
    if (state_->open && state_->sink.opened)
      state_->sink.opened();
  }
  void write(std::string piece) override {
    std::lock_guard guard{state_->lock};
    if (state_->open)
      state_->sink.bytes(piece);
  }
  void finish() override { end_watch(nothing{}); }
  void on_disconnect(std::function<void()> gone) override {
    std::unique_lock guard{state_->lock};
    if (state_->open) {
      state_->gone = std::move(gone);
      return;
    }
    guard.unlock();
    gone();
  }

private:
  void end_watch(result<nothing> how) {
    std::lock_guard guard{state_->lock};
    if (std::exchange(state_->open, false))
      state_->sink.ended(std::move(how));
  }

  std::shared_ptr<watch_state> state_;
};

class local_watch : public watch_session {
public:
  local_watch(std::shared_ptr<watch_state> l, executor run)
      : state_(std::move(l))
      , run_(std::move(run)) {}

  ~local_watch() override {
    {
      std::lock_guard guard{state_->lock};
      state_->open = false;
    }
    run_([l = state_] {
      if (auto gone = std::exchange(l->gone, nullptr))
        gone();
    });
  }

private:
  std::shared_ptr<watch_state> state_;
  executor run_;
};

class local_api : public api {
public:
  local_api(api_server& server, executor run, user_ptr user)
      : api_server_(server)
      , run_(std::move(run))
      , user_(std::move(user)) {
    if (!run_)
      run_ = [](const std::function<void()>& task) { task(); };
  }

  void send(request r, std::chrono::milliseconds,
            std::function<void(result<std::string>)> done) override {
    auto out = to_http_request(std::move(r), user_);
    auto writer = std::make_shared<buffering_response_writer>(std::move(done));
    run_([server = &api_server_, out = std::move(out), writer]() mutable {
      if (out)
        server->serve(*out, writer);
      else
        writer->reply({400, "text/plain", out.error().message, {}});
    });
  }

  std::unique_ptr<watch_session> watch(request r, std::chrono::milliseconds,
                                       watch_sink sink) override {
    auto l = std::make_shared<watch_state>();
    l->sink = std::move(sink);
    auto out = to_http_request(std::move(r), user_);
    run_([server = &api_server_, out = std::move(out),
          writer = std::make_shared<watch_response_writer>(l)]() mutable {
      if (out)
        server->serve(*out, writer);
      else
        writer->reply({400, "text/plain", out.error().message, {}});
    });
    return std::make_unique<local_watch>(std::move(l), run_);
  }

private:
  api_server& api_server_;
  executor run_;
  user_ptr user_;
};

} // namespace

std::unique_ptr<api> make_local_api(api_server& server, executor run,
                                    user_ptr user) {
  return std::make_unique<local_api>(server, std::move(run), std::move(user));
}

} // namespace troupe::k8s::apiserver
