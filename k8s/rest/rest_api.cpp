#include "k8s/rest/rest_api.hpp"

#include "k8s/calls.hpp"
#include "k8s/protobuf_encoding.hpp"
#include "k8s/rest/answer_batch.hpp"
#include "k8s/rest/call_connections.hpp"
#include "k8s/rest/connection_check.hpp"
#include "k8s/rest/credential_cache.hpp"
#include "k8s/rest/watch_connections.hpp"

#include <pplx/threadpool.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace troupe::k8s::rest {

namespace {

namespace http = web::http;
using std::chrono::milliseconds;
using std::chrono::seconds;
using clock = timer_thread::clock;

/// cpprestsdk loads the system's authorities for every connection, which costs
/// more than the handshake and a megabyte; with a CA of our own nobody asks for
/// them. What the user had set is kept for credential plugins.
void disable_system_ca_certificates() {
  auto replace = [](const char* name, const char* kept, const char* value) {
    const char* old = std::getenv(name);
    if (old && std::strcmp(old, value) != 0)
      ::setenv(kept, old, 1);
    ::setenv(name, value, 1);
  };
  replace("SSL_CERT_FILE", "TROUPE_KEPT_SSL_CERT_FILE", "/dev/null");
  replace("SSL_CERT_DIR", "TROUPE_KEPT_SSL_CERT_DIR", "/nonexistent");
}

void init_cpprest_thread_pool(unsigned threads) {
  try {
    crossplat::threadpool::initialize_with_threads(std::max(threads, 1u));
  } catch (const std::exception&) {
    // Sized already by an earlier api of this process.
  }
}

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
std::optional<request> with_protobuf_body(const request& r) {
  if (r.method != verb::create || !r.content_type.empty()
      || r.path.rfind("/api/v1/", 0) != 0)
    return std::nullopt;
  auto body = json_to_protobuf(r.body);
  if (!body)
    return std::nullopt;
  request out{r.method,   r.path,  std::move(*body), protobuf_media_type,
              r.resource, r.accept};
  return out;
}

/// A call in flight.
struct call {
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

  /// `abort` is called at once, if the call was cancelled before.
  void set_abort_handler(std::function<void()> abort) {
    std::unique_lock lock{mutex_};
    abort_ = std::move(abort);
    auto now = cancelled_ ? abort_ : nullptr;
    lock.unlock();
    if (now)
      now();
  }

  void cancel() {
    std::unique_lock lock{mutex_};
    cancelled_ = true;
    auto now = abort_;
    lock.unlock();
    if (now)
      now();
  }

  bool is_cancelled() {
    std::lock_guard guard{mutex_};
    return cancelled_;
  }

private:
  std::mutex mutex_;
  std::function<void()> abort_; ///< Once it is sent.
  bool cancelled_ = false;
};

using watches_ptr = std::shared_ptr<watch_connections>;
using calls_ptr = std::shared_ptr<call_connections>;

class rest_api : public api {
public:
  rest_api(client_config config, unsigned threads,
           std::shared_ptr<request_counts> counts)
      : config_((init_cpprest_thread_pool(threads), std::move(config)))
      , counts_(std::move(counts))
      , credentials_(config_.get_credential, slow_) {
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
    auto state = std::make_shared<watch_stream>(std::move(sink));
    pplx::cancellation_token_source cancel;
    auto number = register_request([cancel] { cancel.cancel(); });
    credentials_.get_or_load_credential(
        [this, r = std::move(r), idle, state, number,
         cancel](const result<credential_ptr>& cred) {
          if (cancel.get_token().is_canceled())
            finish_watch(state, number, failure{ec::cancelled, "given up"});
          else if (cred)
            stream_watch(r, *cred, idle, state, number, cancel);
          else
            finish_watch(state, number, cred.error());
        });
    return std::make_unique<rest_watch_session>(std::move(state),
                                                std::move(cancel));
  }

private:
  class rest_watch_session : public watch_session {
  public:
    rest_watch_session(std::shared_ptr<watch_stream> s,
                       pplx::cancellation_token_source cancel)
        : state_(std::move(s))
        , cancel_(std::move(cancel)) {}
    ~rest_watch_session() override {
      state_->close();
      cancel_.cancel();
    }

  private:
    std::shared_ptr<watch_stream> state_;
    pplx::cancellation_token_source cancel_;
  };

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

  void finish_watch(const std::shared_ptr<watch_stream>& state,
                    std::uint64_t number, result<nothing> how) {
    state->finish(std::move(how));
    unregister_request(number);
  }

  // -- calls ------------------------------------------------------------------

  void send_with_credential(const std::shared_ptr<call>& c,
                            const credential_ptr& cred) {
    auto used = call_connections_for(cred);
    if (!used) {
      finish_call(c, used.error());
      return;
    }
    auto in_protobuf =
        accepts_protobuf_ ? with_protobuf_body(c->what) : std::nullopt;
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
          answers_->add(
              [this, c,
               read = handle_call_answer(std::move(answer), *cred)]() mutable {
                finish_call(c, std::move(read));
              },
              calls_in_flight_);
        }));
  }

  result<std::string> handle_call_answer(result<http_answer> answer,
                                         const issued_credential& cred) {
    if (!answer)
      return answer.error();
    if (answer->status >= 200 && answer->status < 300)
      return std::move(answer->body);
    if (answer->status == 401)
      credentials_.invalidate_if_current(cred.number);
    return failure_of_answer(*answer);
  }

  // -- watches ----------------------------------------------------------------

  void stream_watch(const request& r, const credential_ptr& cred,
                    milliseconds idle,
                    const std::shared_ptr<watch_stream>& state,
                    std::uint64_t number,
                    const pplx::cancellation_token_source& cancel) {
    auto fail = [this, state, number](failure f) {
      finish_watch(state, number, std::move(f));
    };
    auto used = watch_connections_for(cred, idle);
    if (!used) {
      fail(used.error());
      return;
    }
    auto answered = std::make_shared<std::atomic<bool>>(false);
    try {
      (*used)
          ->open_watch(
              r, cred->value.token,
              [state](std::string_view piece) { state->receive_bytes(piece); },
              [this, state, answered](int status) {
                *answered = true;
                count_request(verb::watch, status);
                state->on_status(status);
              },
              cancel.get_token())
          .then([this, state, number, cred, pool = *used, fail,
                 answered](pplx::task<http::http_response> task) {
            try {
              finish_watch(state, number,
                           handle_watch_answer(task.get(), *state, *cred));
            } catch (...) {
              if (!*answered)
                count_request(verb::watch, 0);
              report_failure_with_connect_error(
                  pool->failure_of_current_exception(), fail);
            }
          });
    } catch (const std::exception& e) {
      fail({ec::bug, std::string{"not sent: "} + e.what()});
    }
  }

  result<nothing> handle_watch_answer(const http::http_response& answer,
                                      watch_stream& state,
                                      const issued_credential& cred) {
    if (answer.status_code() == 200)
      return nothing{};
    if (answer.status_code() == 401)
      credentials_.invalidate_if_current(cred.number);
    http_answer refusal{answer.status_code(), state.held_error_body(), {}};
    answer.headers().match("Retry-After", refusal.retry_after);
    return failure_of_answer(refusal);
  }

  // -- both -------------------------------------------------------------------

  /// `status` 0: there was no answer.
  void count_request(verb method, int status) {
    if (counts_)
      counts_->count(method, status);
  }

  result<calls_ptr> call_connections_for(const credential_ptr& cred) {
    std::lock_guard guard{pools_mutex_};
    set_credential_and_drop_other_pools(cred);
    return get_or_make_pool(calls_, [&] {
      return std::make_shared<call_connections>(
          crossplat::threadpool::shared_instance().service(), config_,
          cred->value);
    });
  }

  result<watches_ptr> watch_connections_for(const credential_ptr& cred,
                                            milliseconds silence) {
    std::lock_guard guard{pools_mutex_};
    set_credential_and_drop_other_pools(cred);
    return get_or_make_pool(watches_[silence], [&] {
      return std::make_shared<watch_connections>(config_, cred->value, silence);
    });
  }

  /// Connections with another certificate are used no more.
  void set_credential_and_drop_other_pools(const credential_ptr& cred) {
    if (used_ && used_->value.client_cert_pem != cred->value.client_cert_pem) {
      calls_ = nullptr;
      watches_.clear();
    }
    used_ = cred;
  }

  template <class Pool, class F>
  result<Pool> get_or_make_pool(Pool& found, F make) {
    try {
      if (!found)
        found = make();
      return found;
    } catch (const std::exception& e) {
      return failure{ec::invalid, "\"" + config_.server
                                      + "\" is no usable address (" + e.what()
                                      + "); check server in " + config_.origin};
    }
  }

  /// Passes a failure on, at once or after a look at the network.
  template <class F>
  void report_failure_with_connect_error(failure f, F next) {
    bool no_connection =
        f.message.find(": Failed to connect") != std::string::npos
        || f.message.find(": Error resolv") != std::string::npos;
    if (f.code != ec::unreachable || !no_connection) {
      next(std::move(f));
      return;
    }
    slow_.run_soon([this, next] {
      next({ec::unreachable, "cannot reach " + config_.server + ": "
                                 + get_or_find_connect_error()});
    });
  }

  /// cpprestsdk does not say; many calls fail at once, and one look is enough
  /// for them. On the thread of `slow_`.
  std::string get_or_find_connect_error() {
    if (clock::now() > checked_at_ + seconds{2}) {
      connect_error_ = connect_and_describe_error(config_.server, seconds{1});
      if (connect_error_.empty())
        connect_error_ = "no connection just now";
      checked_at_ = clock::now();
    }
    return connect_error_;
  }

  const client_config config_;
  const std::shared_ptr<request_counts> counts_;
  /// Until the server answers 415 to it.
  std::atomic<bool> accepts_protobuf_{true};

  /// Calls that are not finished.
  std::atomic<std::size_t> calls_in_flight_{0};
  const std::shared_ptr<answer_batch> answers_ = std::make_shared<answer_batch>(
      crossplat::threadpool::shared_instance().service());

  std::mutex pools_mutex_;
  credential_ptr used_; ///< By the pools.
  calls_ptr calls_;
  std::map<milliseconds, watches_ptr> watches_; ///< By their limit on silence.

  std::mutex mutex_;
  std::condition_variable idle_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, std::function<void()>> under_way_; ///< To cancel.

  std::string connect_error_;
  clock::time_point checked_at_{};

  credential_cache credentials_;
  // Last: their tasks use all of the above. Two, for a login may take its time
  // and a limit may not.
  timer_thread slow_;
  timer_thread timeouts_;
};

} // namespace

std::unique_ptr<api> make_rest_api(client_config config, unsigned threads,
                                   std::shared_ptr<request_counts> counts) {
  if (!config.ca_pem.empty())
    disable_system_ca_certificates();
  return std::make_unique<rest_api>(std::move(config), threads,
                                    std::move(counts));
}

} // namespace troupe::k8s::rest
