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

http::response unavailable_response(const char* why) {
  return to_http_response({503, why});
}

/// Counts the response. Responds itself if nobody else does: at the end, when
/// the actors have gone.
class counted_response : public http::response_writer {
public:
  counted_response(const http::request& q, http::response_writer_ptr back,
                   std::shared_ptr<metrics> counters)
      : page_(metrics_page_of(q.path))
      , method_(metrics_method_of(q.method))
      , back_(std::move(back))
      , counters_(std::move(counters)) {}

  ~counted_response() override {
    if (!answered_)
      reply(unavailable_response("the operator has ended; look what is there "
                                 "before asking again"));
  }

  void reply(http::response r) override {
    count_response(r.status);
    back_->reply(std::move(r));
  }
  void start(http::response head) override {
    count_response(head.status);
    back_->start(std::move(head));
  }
  void write(std::string piece) override { back_->write(std::move(piece)); }
  void finish() override { back_->finish(); }
  void on_disconnect(std::function<void()> gone) override {
    back_->on_disconnect(std::move(gone));
  }

private:
  using clock = std::chrono::steady_clock;

  void count_response(int status) {
    answered_ = true;
    std::chrono::duration<double> took = clock::now() - begun_;
    counters_->observe_di_server_request(page_, method_, status, took.count());
  }

  std::string page_;
  std::string method_;
  http::response_writer_ptr back_;
  std::shared_ptr<metrics> counters_;
  clock::time_point begun_ = clock::now();
  bool answered_ = false;
};

} // namespace

/// Whom requests are for. Used by the server's thread.
struct di_server_listener::target {
  bool anybody = false;
  std::mutex lock; ///< Of the rest.
  di_server_actor who;
  std::shared_ptr<const di_server_leader> leader;
  std::unique_ptr<http::forwarder> others;
  std::shared_ptr<metrics> counters;

  void handle_request(const http::request& q, http::response_writer_ptr back) {
    std::lock_guard guard{lock};
    if (counters && !metrics_page_of(q.path).empty())
      back = std::make_shared<counted_response>(q, std::move(back), counters);
    bool forwarded =
        leader && leader->has_forwarding_token(q.header(token_header));
    auto client = forwarded ? q.header(client_header) : q.peer;
    auto decoded = decode_di_server_request(q, anybody ? "" : client);
    if (auto* response = std::get_if<http::response>(&decoded))
      back->reply(std::move(*response));
    else if (!who)
      back->reply(unavailable_response(
          "the operator is starting or ending; ask later"));
    else if (!leader || leader->current_route().here)
      handle_locally(decoded, back);
    else if (auto route = leader->current_route();
             forwarded || route.address.empty())
      back->reply(
          unavailable_response("no replica of the operator leads; ask later"));
    else
      others->forward(
          route.address, q,
          {{token_header, route.token}, {client_header, client}},
          to_http_response(
              {502, "the replica of the operator that leads, " + route.address
                        + ", did not respond; look what is there before "
                          "asking again"}),
          back);
  }

  void handle_locally(const di_server_request& q,
                      const http::response_writer_ptr& back) {
    using frameworks::di::replica_request_ptr;
    using frameworks::di::task_request_ptr;
    if (const auto* r = std::get_if<replica_request_ptr>(&q))
      caf::anon_send(who, replica_call{*r, back});
    else
      caf::anon_send(who, task_call{std::get<task_request_ptr>(q), back});
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
        to->handle_request(q, back);
      },
      di_server_limits());
  if (!server)
    return k8s::failure{server.error().code,
                        "--di-server-bind-address: " + server.error().message};
  listener->server_ = std::move(*server);
  return listener;
}

void di_server_listener::set_leader_to_forward_to(
    std::shared_ptr<const di_server_leader> leader) {
  std::lock_guard guard{to_->lock};
  to_->leader = std::move(leader);
  to_->others = http::make_forwarder(forward_limit);
}

void di_server_listener::set_di_server_actor(
    di_server_actor who, std::shared_ptr<metrics> counters) {
  std::lock_guard guard{to_->lock};
  to_->who = std::move(who);
  if (counters)
    to_->counters = std::move(counters);
}

void di_server_listener::drain(std::chrono::milliseconds limit) {
  set_di_server_actor({});
  server_->drain(limit);
}

} // namespace troupe::actors
