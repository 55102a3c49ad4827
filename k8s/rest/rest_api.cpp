#include "k8s/rest/rest_api.hpp"

#include "k8s/calls.hpp"
#include "k8s/codec/protobuf_encoding.hpp"
#include "k8s/rest/abort_switch.hpp"
#include "k8s/rest/answer_batch.hpp"
#include "k8s/rest/call_connections.hpp"
#include "k8s/rest/credentials/credential_cache.hpp"
#include "k8s/rest/io_threads.hpp"
#include "k8s/rest/watch_connection.hpp"
#include "k8s/rest/watch_stream.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <optional>

namespace troupe::k8s::rest {

namespace {

using std::chrono::milliseconds;
using clock = timer_thread::clock;

/// An empty name would turn the removal of one object into that of all.
bool is_malformed_path(const request& r) {
  auto path = std::string_view{r.path}.substr(0, r.path.find('?'));
  auto unprintable = [](char c) { return c <= ' ' || c > '~'; };
  return path.empty() || path.front() != '/' || path.back() == '/'
         || path.find("//") != std::string_view::npos
         || std::any_of(r.path.begin(), r.path.end(), unprintable);
}

/// The request with its body in protobuf, if it creates an object of the core
/// group that protobuf can express.
std::optional<request> with_protobuf_body_if_core_creation(const request& r) {
  if (r.method != verb::create || !r.content_type.empty()
      || r.path.rfind("/api/v1/", 0) != 0)
    return std::nullopt;
  auto body = json_to_protobuf_if_certain(r.body);
  if (!body)
    return std::nullopt;
  request out{r.method,   r.path,   std::move(*body), protobuf_media_type,
              r.resource, r.accept, r.answer_limit};
  return out;
}

/// A call in flight.
struct call : abort_switch {
  request what; ///< Moved out when it is sent, but for one in protobuf.
  std::function<void(result<std::string>)> done;
  std::uint64_t number = 0;
  timer_thread::ticket alarm;
  std::atomic<bool> answered{false};

  void report_once(result<std::string> r) {
    if (answered.exchange(true))
      return;
    // Released before the API client can end: it may own something of the
    // client's owner.
    auto f = std::exchange(done, nullptr);
    f(std::move(r));
  }
};

/// A watch that is under way.
struct watch_call : abort_switch {
  explicit watch_call(watch_sink sink)
      : stream(std::move(sink)) {}

  watch_stream stream;
  std::uint64_t number = 0;
};

class rest_watch_session : public watch_session {
public:
  explicit rest_watch_session(std::shared_ptr<watch_call> w)
      : watch_(std::move(w)) {}

  ~rest_watch_session() override {
    watch_->stream.close();
    watch_->cancel();
  }

private:
  std::shared_ptr<watch_call> watch_;
};

using calls_ptr = std::shared_ptr<call_connections>;

class rest_api : public api {
public:
  rest_api(client_config config, unsigned threads,
           std::shared_ptr<request_counts> counts)
      : config_(std::move(config))
      , counts_(std::move(counts))
      , io_(threads)
      , answers_(std::make_shared<answer_batch>(io_.context()))
      , credentials_(config_, slow_) {
    // nop
  }

  ~rest_api() override {
    std::unique_lock lock{mutex_};
    auto all = under_way_;
    lock.unlock();
    for (auto& [number, cancel] : all)
      cancel();
    lock.lock();
    idle_.wait(lock, [this] { return under_way_.empty(); });
    lock.unlock();
    io_.stop(); // They may be still in the last handler.
  }

  void send(request r, milliseconds limit,
            std::function<void(result<std::string>)> done) override {
    auto c = std::make_shared<call>();
    c->what = std::move(r);
    c->done = std::move(done);
    if (is_malformed_path(c->what)) {
      c->report_once(failure{ec::bug, "a call to \"" + c->what.path
                                          + "\" names no object"});
      return;
    }
    c->number = register_request([c] { c->cancel(); });
    ++calls_in_flight_;
    c->alarm = timeouts_.run_at(clock::now() + limit, [this, c] {
      c->report_once(failure{ec::timeout,
                             "no answer from " + config_.server + " in time"});
      c->cancel();
    });
    credentials_.get_or_load_credential(
        [this, c](const result<credential_ptr>& cred) {
          if (c->is_cancelled())
            finish_call(c, failure{ec::cancelled, "given up"});
          else if (cred)
            send_with_credential(c, *cred);
          else
            finish_call(c, cred.error());
        });
  }

  std::unique_ptr<watch_session> watch(request r, milliseconds idle,
                                       watch_sink sink) override {
    auto w = std::make_shared<watch_call>(std::move(sink));
    w->number = register_request([w] { w->cancel(); });
    credentials_.get_or_load_credential(
        [this, r = std::move(r), idle, w](const result<credential_ptr>& cred) {
          if (w->is_cancelled())
            finish_watch(w, failure{ec::cancelled, "given up"});
          else if (cred)
            stream_watch(r, *cred, idle, w);
          else
            finish_watch(w, cred.error());
        });
    return std::make_unique<rest_watch_session>(std::move(w));
  }

private:
  // -- what is under way ------------------------------------------------------

  std::uint64_t register_request(std::function<void()> cancel) {
    std::lock_guard guard{mutex_};
    under_way_.emplace(++last_number_, std::move(cancel));
    return last_number_;
  }

  /// The last that a call or a watch does with us.
  void unregister_request(std::uint64_t number) {
    std::lock_guard guard{mutex_};
    under_way_.erase(number);
    if (under_way_.empty())
      idle_.notify_all();
  }

  void finish_call(const std::shared_ptr<call>& c, result<std::string> answer) {
    timeouts_.cancel(c->alarm);
    --calls_in_flight_;
    c->report_once(std::move(answer));
    unregister_request(c->number);
  }

  void finish_watch(const std::shared_ptr<watch_call>& w, result<nothing> how) {
    w->stream.finish(std::move(how));
    unregister_request(w->number);
  }

  // -- calls ------------------------------------------------------------------

  void send_with_credential(const std::shared_ptr<call>& c,
                            const credential_ptr& cred) {
    auto used = current_or_new_call_connections(cred);
    if (!used) {
      finish_call(c, used.error());
      return;
    }
    auto in_protobuf = accepts_protobuf_
                           ? with_protobuf_body_if_core_creation(c->what)
                           : std::nullopt;
    bool is_protobuf = in_protobuf.has_value();
    auto method = c->what.method;
    c->set_abort_handler((*used)->send(
        std::move(is_protobuf ? *in_protobuf : c->what), cred->value.token,
        [this, c, cred, method, is_protobuf](result<http_answer> answer) {
          count_request(method, answer ? answer->status : 0);
          if (is_protobuf && answer && answer->status == 415) {
            accepts_protobuf_ = false;
            send_with_credential(c, cred);
            return;
          }
          answers_->add_or_hand_over_all(
              [this, c,
               read = result_of_call_noting_401(std::move(answer),
                                                *cred)]() mutable {
                finish_call(c, std::move(read));
              },
              calls_in_flight_);
        }));
  }

  result<std::string> result_of_call_noting_401(result<http_answer> answer,
                                                const issued_credential& cred) {
    if (!answer)
      return answer.error();
    if (answer->status >= 200 && answer->status < 300)
      return std::move(answer->body);
    if (answer->status == 401)
      credentials_.invalidate_if_current_and_due(cred.number);
    return failure_of_answer(*answer);
  }

  // -- watches ----------------------------------------------------------------

  void stream_watch(const request& r, const credential_ptr& cred,
                    milliseconds idle, const std::shared_ptr<watch_call>& w) {
    auto server = current_or_new_endpoint(cred);
    if (!server) {
      finish_watch(w, server.error());
      return;
    }
    watch_connection::listener to;
    auto answered = std::make_shared<bool>(false);
    to.answered = [this, w, answered](int status) {
      *answered = true;
      count_request(verb::watch, status);
      if (status == 200)
        w->stream.report_opened();
    };
    to.bytes = [w](std::string_view piece) { w->stream.receive_bytes(piece); };
    if (w->stream.has_pauses())
      to.pause = [w] { return w->stream.wanted_pause(); };
    to.ended = [this, w, cred, answered](result<http_answer> answer) {
      if (!*answered)
        count_request(verb::watch, 0);
      finish_watch(w, result_of_watch_noting_401(answer, *cred));
    };
    auto connection = open_watch_connection(
        io_.context(), *server, (*server)->format_request(r, cred->value.token),
        idle, std::move(to));
    w->set_abort_handler([weak = std::weak_ptr{connection}] {
      if (auto alive = weak.lock())
        alive->abort();
    });
  }

  result<nothing> result_of_watch_noting_401(const result<http_answer>& answer,
                                             const issued_credential& cred) {
    if (!answer)
      return answer.error();
    if (answer->status == 200 || answer->status == 204) // 204: an empty log.
      return nothing{};
    if (answer->status == 401)
      credentials_.invalidate_if_current_and_due(cred.number);
    return failure_of_answer(*answer);
  }

  // -- both -------------------------------------------------------------------

  /// `status` 0: there was no answer.
  void count_request(verb method, int status) {
    if (counts_)
      counts_->count(method, status);
  }

  result<calls_ptr>
  current_or_new_call_connections(const credential_ptr& cred) {
    auto server = current_or_new_endpoint(cred);
    if (!server)
      return server.error();
    std::lock_guard guard{endpoint_mutex_};
    if (!calls_ || called_ != *server) {
      calls_ = std::make_shared<call_connections>(io_.context(), *server);
      called_ = *server;
    }
    return calls_;
  }

  /// Connections with another certificate, or another one's, are made no more.
  result<std::shared_ptr<server_endpoint>>
  current_or_new_endpoint(const credential_ptr& cred) {
    std::lock_guard guard{endpoint_mutex_};
    if (server_ && has_same_certificates(*used_, *cred)) {
      used_ = cred;
      return server_;
    }
    auto config = config_;
    config.ca_pem = cred->authorities_pem;
    try {
      server_ = std::make_shared<server_endpoint>(config, cred->value);
      used_ = cred;
      return server_;
    } catch (const std::exception& e) {
      return failure{ec::invalid, "\"" + config_.server
                                      + "\" is no usable address (" + e.what()
                                      + "); check server in " + config_.origin};
    }
  }

  static bool has_same_certificates(const issued_credential& a,
                                    const issued_credential& b) {
    return a.value.client_cert_pem == b.value.client_cert_pem
           && a.value.client_key_pem == b.value.client_key_pem
           && a.authorities_pem == b.authorities_pem;
  }

  const client_config config_;
  const std::shared_ptr<request_counts> counts_;
  /// Until the server answers 415 to it.
  std::atomic<bool> accepts_protobuf_{true};

  std::mutex mutex_;
  std::condition_variable idle_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, std::function<void()>> under_way_; ///< To cancel.

  io_threads io_;
  /// Calls that are not finished.
  std::atomic<std::size_t> calls_in_flight_{0};
  const std::shared_ptr<answer_batch> answers_;

  std::mutex endpoint_mutex_;
  credential_ptr used_; ///< By the endpoint.
  std::shared_ptr<server_endpoint> server_;
  std::shared_ptr<server_endpoint> called_; ///< By the calls.
  calls_ptr calls_;

  credential_cache credentials_;
  // Last: their tasks use all of the above. Two, for a login may take its time
  // and a limit may not.
  timer_thread slow_;
  timer_thread timeouts_;
};

} // namespace

std::unique_ptr<api> make_rest_api(client_config config, unsigned threads,
                                   std::shared_ptr<request_counts> counts) {
  return std::make_unique<rest_api>(std::move(config), threads,
                                    std::move(counts));
}

} // namespace troupe::k8s::rest
