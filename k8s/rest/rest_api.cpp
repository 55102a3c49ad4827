#include "k8s/rest/rest_api.hpp"

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
void skip_system_authorities() {
  auto replace = [](const char* name, const char* kept, const char* value) {
    const char* old = std::getenv(name);
    if (old && std::strcmp(old, value) != 0)
      ::setenv(kept, old, 1);
    ::setenv(name, value, 1);
  };
  replace("SSL_CERT_FILE", "TROUPE_KEPT_SSL_CERT_FILE", "/dev/null");
  replace("SSL_CERT_DIR", "TROUPE_KEPT_SSL_CERT_DIR", "/nonexistent");
}

void set_pool_size(unsigned threads) {
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

/// A call in flight.
struct call {
  request what;
  verb method = verb::get; ///< Of `what`, which is gone once it is sent.
  std::function<void(result<std::string>)> done;
  std::uint64_t number = 0;
  timer_thread::ticket alarm;
  std::atomic<bool> answered{false};

  void answer(result<std::string> r) {
    if (answered.exchange(true))
      return;
    // Released before the API client can end: it may own something of the
    // client's owner.
    auto f = std::exchange(done, nullptr);
    f(std::move(r));
  }

  /// `stop` is called at once, if the call was cancelled before.
  void begun(std::function<void()> stop) {
    std::unique_lock lock{mutex_};
    stop_ = std::move(stop);
    auto now = cancelled_ ? stop_ : nullptr;
    lock.unlock();
    if (now)
      now();
  }

  void cancel() {
    std::unique_lock lock{mutex_};
    cancelled_ = true;
    auto now = stop_;
    lock.unlock();
    if (now)
      now();
  }

  bool cancelled() {
    std::lock_guard guard{mutex_};
    return cancelled_;
  }

private:
  std::mutex mutex_;
  std::function<void()> stop_; ///< Once it is sent.
  bool cancelled_ = false;
};

using watches_ptr = std::shared_ptr<watch_connections>;
using calls_ptr = std::shared_ptr<call_connections>;

class rest_api : public api {
public:
  rest_api(client_config who, unsigned threads,
           std::shared_ptr<request_counts> counts)
      : who_((set_pool_size(threads), std::move(who)))
      , counts_(std::move(counts))
      , credentials_(who_.get_credential, slow_) {
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
    c->method = r.method;
    c->what = std::move(r);
    c->done = std::move(done);
    if (is_malformed_path(c->what)) {
      c->answer(failure{ec::bug,
                        "a call to \"" + c->what.path + "\" names no object"});
      return;
    }
    c->number = begin([c] { c->cancel(); });
    c->alarm = timeouts_.run_at(clock::now() + limit, [this, c] {
      c->answer(
          failure{ec::timeout, "no answer from " + who_.server + " in time"});
      c->cancel();
    });
    credentials_.get([this, c](const result<credential_ptr>& l) {
      if (c->cancelled())
        finish(c, failure{ec::cancelled, "given up"});
      else if (l)
        transmit(c, *l);
      else
        finish(c, l.error());
    });
  }

  std::unique_ptr<watch_session> watch(request r, milliseconds idle,
                                       watch_sink sink) override {
    auto state = std::make_shared<watch_stream>(std::move(sink));
    pplx::cancellation_token_source cancel;
    auto number = begin([cancel] { cancel.cancel(); });
    credentials_.get([this, r = std::move(r), idle, state, number,
                      cancel](const result<credential_ptr>& l) {
      if (cancel.get_token().is_canceled())
        finish(state, number, failure{ec::cancelled, "given up"});
      else if (l)
        stream(r, *l, idle, state, number, cancel);
      else
        finish(state, number, l.error());
    });
    return std::make_unique<session>(std::move(state), std::move(cancel));
  }

private:
  class session : public watch_session {
  public:
    session(std::shared_ptr<watch_stream> s,
            pplx::cancellation_token_source cancel)
        : state_(std::move(s))
        , cancel_(std::move(cancel)) {}
    ~session() override {
      state_->close();
      cancel_.cancel();
    }

  private:
    std::shared_ptr<watch_stream> state_;
    pplx::cancellation_token_source cancel_;
  };

  // -- what is under way ------------------------------------------------------

  std::uint64_t begin(std::function<void()> cancel) {
    std::lock_guard guard{mutex_};
    under_way_.emplace(++last_number_, std::move(cancel));
    return last_number_;
  }

  /// The last that a call or a watch does with us.
  void end(std::uint64_t number) {
    std::lock_guard guard{mutex_};
    under_way_.erase(number);
    if (under_way_.empty())
      idle_.notify_all();
  }

  void finish(const std::shared_ptr<call>& c, result<std::string> answer) {
    timeouts_.cancel(c->alarm);
    c->answer(std::move(answer));
    end(c->number);
  }

  void finish(const std::shared_ptr<watch_stream>& state, std::uint64_t number,
              result<nothing> how) {
    state->ended(std::move(how));
    end(number);
  }

  // -- calls ------------------------------------------------------------------

  void transmit(const std::shared_ptr<call>& c, const credential_ptr& l) {
    auto used = calls_with(l);
    if (!used) {
      finish(c, used.error());
      return;
    }
    c->begun((*used)->send(std::move(c->what), l->value.token,
                           [this, c, l](result<http_answer> answer) {
                             count(c->method, answer ? answer->status : 0);
                             finish(c, result_of(std::move(answer), *l));
                           }));
  }

  result<std::string> result_of(result<http_answer> answer,
                                const issued_credential& l) {
    if (!answer)
      return answer.error();
    if (answer->status >= 200 && answer->status < 300)
      return std::move(answer->body);
    if (answer->status == 401)
      credentials_.invalidate(l.number);
    return failure_of(*answer);
  }

  // -- watches ----------------------------------------------------------------

  void stream(const request& r, const credential_ptr& l, milliseconds idle,
              const std::shared_ptr<watch_stream>& state, std::uint64_t number,
              const pplx::cancellation_token_source& cancel) {
    auto fail = [this, state, number](failure f) {
      finish(state, number, std::move(f));
    };
    auto used = watches_with(l, idle);
    if (!used) {
      fail(used.error());
      return;
    }
    auto begun = std::make_shared<std::atomic<bool>>(false);
    try {
      (*used)
          ->send(
              r, l->value.token,
              [state](std::string_view piece) { state->bytes(piece); },
              [this, state, begun](int status) {
                *begun = true;
                count(verb::watch, status);
                state->answered(status);
              },
              cancel.get_token())
          .then([this, state, number, l, pool = *used, fail,
                 begun](pplx::task<http::http_response> task) {
            try {
              finish(state, number, end_of(task.get(), *state, *l));
            } catch (...) {
              if (!*begun)
                count(verb::watch, 0);
              explain(pool->failure_of_current_exception(), fail);
            }
          });
    } catch (const std::exception& e) {
      fail({ec::bug, std::string{"not sent: "} + e.what()});
    }
  }

  result<nothing> end_of(const http::http_response& answer, watch_stream& state,
                         const issued_credential& l) {
    if (answer.status_code() == 200)
      return nothing{};
    if (answer.status_code() == 401)
      credentials_.invalidate(l.number);
    http_answer refusal{answer.status_code(), state.error_body(), {}};
    answer.headers().match("Retry-After", refusal.retry_after);
    return failure_of(refusal);
  }

  // -- both -------------------------------------------------------------------

  /// `status` 0: there was no answer.
  void count(verb what, int status) {
    if (counts_)
      counts_->count(what, status);
  }

  result<calls_ptr> calls_with(const credential_ptr& l) {
    std::lock_guard guard{pools_mutex_};
    use_credential(l);
    return made_once(calls_, [&] {
      return std::make_shared<call_connections>(
          crossplat::threadpool::shared_instance().service(), who_, l->value);
    });
  }

  result<watches_ptr> watches_with(const credential_ptr& l,
                                   milliseconds silence) {
    std::lock_guard guard{pools_mutex_};
    use_credential(l);
    return made_once(watches_[silence], [&] {
      return std::make_shared<watch_connections>(who_, l->value, silence);
    });
  }

  /// Connections with another certificate are used no more.
  void use_credential(const credential_ptr& l) {
    if (used_ && used_->value.client_cert_pem != l->value.client_cert_pem) {
      calls_ = nullptr;
      watches_.clear();
    }
    used_ = l;
  }

  template <class Pool, class F>
  result<Pool> made_once(Pool& found, F make) {
    try {
      if (!found)
        found = make();
      return found;
    } catch (const std::exception& e) {
      return failure{ec::invalid, "\"" + who_.server
                                      + "\" is no usable address (" + e.what()
                                      + "); check server in " + who_.origin};
    }
  }

  /// Passes a failure on, at once or after a look at the network.
  template <class F>
  void explain(failure f, F next) {
    bool no_connection =
        f.message.find(": Failed to connect") != std::string::npos
        || f.message.find(": Error resolv") != std::string::npos;
    if (f.code != ec::unreachable || !no_connection) {
      next(std::move(f));
      return;
    }
    slow_.run_soon([this, next] {
      next({ec::unreachable,
            "cannot reach " + who_.server + ": " + why_no_connection()});
    });
  }

  /// cpprestsdk does not say; many calls fail at once, and one look is enough
  /// for them. On the thread of `slow_`.
  std::string why_no_connection() {
    if (clock::now() > looked_at_ + seconds{2}) {
      looked_why_ = check_connection(who_.server, seconds{1});
      if (looked_why_.empty())
        looked_why_ = "no connection just now";
      looked_at_ = clock::now();
    }
    return looked_why_;
  }

  const client_config who_;
  const std::shared_ptr<request_counts> counts_;

  std::mutex pools_mutex_;
  credential_ptr used_; ///< By the pools.
  calls_ptr calls_;
  std::map<milliseconds, watches_ptr> watches_; ///< By their limit on silence.

  std::mutex mutex_;
  std::condition_variable idle_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, std::function<void()>> under_way_; ///< To cancel.

  std::string looked_why_;
  clock::time_point looked_at_{};

  credential_cache credentials_;
  // Last: their tasks use all of the above. Two, for a login may take its time
  // and a limit may not.
  timer_thread slow_;
  timer_thread timeouts_;
};

} // namespace

std::unique_ptr<api> make_rest_api(client_config who, unsigned threads,
                                   std::shared_ptr<request_counts> counts) {
  if (!who.ca_pem.empty())
    skip_system_authorities();
  return std::make_unique<rest_api>(std::move(who), threads, std::move(counts));
}

} // namespace troupe::k8s::rest
