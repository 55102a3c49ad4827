#include "actors/di_server/di_server_listener.hpp"

#include "actors/di_server/di_server_responses.hpp"
#include "k8s/http/forwarder.hpp"

#include <mutex>

namespace troupe::actors {

namespace {

namespace http = k8s::http;

/// Headers of a forwarded request.
constexpr const char* token_header = "x-troupe-di-server-token";
constexpr const char* client_header = "x-troupe-di-server-client";

/// A request waits for its turn and for its calls.
constexpr std::chrono::seconds forward_limit{150};

/// Requests are small; a response takes as long as the calls for it.
http::limits di_server_limits() {
  http::limits l;
  l.body_bytes = 1u << 20;
  l.request_time = std::chrono::seconds{10};
  l.write_time = std::chrono::seconds{10};
  return l;
}

std::string header(const http::request& q, const char* name) {
  auto i = q.headers.find(name);
  return i == q.headers.end() ? std::string{} : i->second;
}

/// Counts the response.
class counted_response : public http::response_writer {
public:
  counted_response(const http::request& q, http::response_writer_ptr back,
                   std::shared_ptr<metrics> counters)
      : page_(page_of(q.path))
      , method_(q.method)
      , back_(std::move(back))
      , counters_(std::move(counters)) {}

  void reply(http::response r) override {
    count(r.status);
    back_->reply(std::move(r));
  }
  void start(http::response head) override {
    count(head.status);
    back_->start(std::move(head));
  }
  void write(std::string piece) override { back_->write(std::move(piece)); }
  void finish() override { back_->finish(); }
  void on_disconnect(std::function<void()> gone) override {
    back_->on_disconnect(std::move(gone));
  }

private:
  using clock = std::chrono::steady_clock;

  void count(int status) {
    std::chrono::duration<double> took = clock::now() - begun_;
    counters_->observe_di_server_request(page_, method_, status, took.count());
  }

  std::string page_;
  std::string method_;
  http::response_writer_ptr back_;
  std::shared_ptr<metrics> counters_;
  clock::time_point begun_ = clock::now();
};

http::response unavailable(const char* why) {
  return to_http({503, why});
}

} // namespace

/// Whom requests are for. Used by the server's thread.
struct di_server_listener::target {
  bool anybody = false;
  std::mutex lock; ///< Of the rest.
  di_server_actor who;
  std::shared_ptr<const di_server_leader> leader;
  std::unique_ptr<http::forwarder> others;
  std::shared_ptr<metrics> counters;

  void handle(const http::request& q, http::response_writer_ptr back) {
    std::lock_guard guard{lock};
    if (counters && !page_of(q.path).empty())
      back = std::make_shared<counted_response>(q, std::move(back), counters);
    bool forwarded = leader && leader->is_forwarded(header(q, token_header));
    auto client = forwarded ? header(q, client_header) : q.peer;
    auto decoded = decode_di_server_request(q, anybody ? "" : client);
    if (auto* response = std::get_if<http::response>(&decoded))
      back->reply(std::move(*response));
    else if (!who)
      back->reply(unavailable("the operator is starting or ending; ask later"));
    else if (!leader || leader->current().here)
      ask(decoded, back);
    else if (auto route = leader->current(); forwarded || route.address.empty())
      back->reply(unavailable("no replica of the operator leads; ask later"));
    else
      others->forward(
          route.address, q,
          {{token_header, route.token}, {client_header, client}},
          to_http({502, "the replica of the operator that leads, "
                            + route.address
                            + ", did not respond; look what is there before "
                              "asking again"}),
          back);
  }

  void ask(const di_server_request& q, const http::response_writer_ptr& back) {
    using frameworks::di::replica_request_ptr;
    using frameworks::di::task_request_ptr;
    if (const auto* r = std::get_if<replica_request_ptr>(&q))
      caf::anon_send(who, replica_question{*r, back});
    else
      caf::anon_send(who, task_question{std::get<task_request_ptr>(q), back});
  }
};

di_server_listener::di_server_listener()
    : to_(std::make_shared<target>()) {}

di_server_listener::~di_server_listener() {
  server_.reset();
}

k8s::result<std::unique_ptr<di_server_listener>>
di_server_listener::open(const std::string& address, bool anybody) {
  auto listener = std::make_unique<di_server_listener>();
  listener->to_->anybody = anybody;
  auto server = http::listen(
      address,
      [to = listener->to_](const http::request& q,
                           const http::response_writer_ptr& back) {
        to->handle(q, back);
      },
      di_server_limits());
  if (!server)
    return k8s::failure{server.error().code,
                        "--di-server-bind-address: " + server.error().message};
  listener->server_ = std::move(*server);
  return listener;
}

void di_server_listener::follow(
    std::shared_ptr<const di_server_leader> leader) {
  std::lock_guard guard{to_->lock};
  to_->leader = std::move(leader);
  to_->others = http::make_forwarder(forward_limit);
}

void di_server_listener::serve(di_server_actor who,
                               std::shared_ptr<metrics> counters) {
  std::lock_guard guard{to_->lock};
  to_->who = std::move(who);
  if (counters)
    to_->counters = std::move(counters);
}

void di_server_listener::drain(std::chrono::milliseconds limit) {
  serve({});
  server_->drain(limit);
}

} // namespace troupe::actors
