#include "actors/di_server/di_server_listener.hpp"

#include "actors/di_server/di_server_responses.hpp"
#include "k8s/http/request_forwarder.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <mutex>

namespace troupe::actors {

namespace {

namespace http = k8s::http;

/// A request waits for its turn and for its calls.
constexpr std::chrono::seconds forward_limit{150};

/// The kubelet may not have told the address of a pod that has just started: a
/// client whose address no pod has is refused after this time.
constexpr std::chrono::seconds address_patience{5};

/// Requests are small; a response takes as long as the calls for it.
http::limits di_server_limits() {
  http::limits l;
  l.body_bytes = 1u << 20;
  l.request_time = std::chrono::seconds{10};
  l.write_time = std::chrono::seconds{10};
  l.connections = 800;
  l.connections_per_client = 200;
  l.request_bytes = 32u << 20;
  l.request_bytes_per_client = 8u << 20;
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
  using decision = std::function<void(std::optional<http::response>)>;

  /// A request whose client is not known yet.
  struct waiting {
    std::uint64_t number;
    http::request head;
    std::string client;
    decision decide;
  };

  static constexpr std::size_t most_strangers = 1000;
  static constexpr std::ptrdiff_t most_strangers_of_client = 50;

  bool anybody = false;
  /// Those whose client is not known yet. Of the server's thread.
  std::list<waiting> strangers;
  std::uint64_t next_number = 1;
  std::atomic<bool> has_strangers{false};
  std::mutex lock; ///< Of the rest.
  http::server* server = nullptr;
  di_server_actor who;
  std::shared_ptr<di_server_leader> leader;
  std::unique_ptr<http::request_forwarder> others;
  std::shared_ptr<metrics> counters;
  std::shared_ptr<const job_pod_addresses> addresses;

  static bool is_forwarded(const http::request& q) {
    return q.headers.count(forwarded_header) > 0;
  }

  /// "" if nobody vouches for the client of a forwarded request.
  std::string client_or_empty_if_unverified(const http::request& q) const {
    if (!is_forwarded(q))
      return q.peer;
    return leader ? leader->verified_client_of_forwarded(q) : "";
  }

  // Before the body is read.
  void admit(const http::request& head, decision decide) {
    std::unique_lock guard{lock};
    auto client = client_or_empty_if_unverified(head);
    bool open = anybody || metrics_page_of(head.path).empty()
                || is_open_to_strangers(head) || !addresses
                || addresses->is_known(client);
    guard.unlock();
    if (is_forwarded(head) && client.empty())
      return refuse(head, head.peer, decide);
    if (open)
      return decide(std::nullopt);
    if (!has_room_for_stranger(client))
      return refuse(head, client, decide);
    http::request asked; // No more of it than its refusal reads.
    asked.method = head.method;
    asked.path = head.path;
    asked.query = head.query;
    auto number = next_number++;
    strangers.push_back({number, std::move(asked), client, std::move(decide)});
    has_strangers = true;
    server->post_after(address_patience, [this, number] {
      refuse_stranger_if_still_waiting(number);
    });
    admit_if_known_now(std::prev(strangers.end())); // It may have come between.
  }

  /// They may have left: what waits here has no connection any more then.
  bool has_room_for_stranger(const std::string& client) const {
    auto of_client = std::count_if(
        strangers.begin(), strangers.end(),
        [&client](const waiting& one) { return one.client == client; });
    return strangers.size() < most_strangers
           && of_client < most_strangers_of_client;
  }

  void admit_if_known_now(std::list<waiting>::iterator one) {
    std::unique_lock guard{lock};
    if (addresses && !addresses->is_known(one->client))
      return;
    guard.unlock();
    auto decide = std::move(one->decide);
    strangers.erase(one);
    has_strangers = !strangers.empty();
    decide(std::nullopt);
  }

  void refuse(const http::request& head, const std::string& client,
              const decision& decide) {
    auto r = stranger_http_response(head, client);
    std::unique_lock guard{lock};
    auto counts = counters;
    guard.unlock();
    if (counts && !metrics_page_of(head.path).empty())
      counts->observe_di_server_request(metrics_page_of(head.path),
                                        metrics_method_of(head.method),
                                        r.status, 0);
    decide(std::move(r));
  }

  void refuse_stranger_if_still_waiting(std::uint64_t number) {
    auto i = std::find_if(
        strangers.begin(), strangers.end(),
        [number](const waiting& one) { return one.number == number; });
    if (i == strangers.end())
      return;
    auto one = std::move(*i);
    strangers.erase(i);
    has_strangers = !strangers.empty();
    refuse(one.head, one.client, one.decide);
  }

  void admit_strangers_known_now() {
    std::vector<decision> admitted;
    {
      std::lock_guard guard{lock};
      for (auto i = strangers.begin(); i != strangers.end();) {
        bool known = !addresses || addresses->is_known(i->client);
        if (known)
          admitted.push_back(std::move(i->decide));
        i = known ? strangers.erase(i) : std::next(i);
      }
    }
    has_strangers = !strangers.empty();
    for (const auto& decide : admitted)
      decide(std::nullopt);
  }

  void answer_or_forward(const http::request& q,
                         http::response_writer_ptr back) {
    std::lock_guard guard{lock};
    if (counters && !metrics_page_of(q.path).empty())
      back = std::make_shared<counted_response>(q, std::move(back), counters);
    auto client = client_or_empty_if_unverified(q);
    bool forwarded = is_forwarded(q);
    if (forwarded && (!leader || !leader->accept_forwarded_once(q))) {
      back->reply(stranger_http_response(q, q.peer));
      return;
    }
    auto decoded = decode_di_server_request(q, anybody ? "" : client);
    if (auto* response = std::get_if<http::response>(&decoded))
      back->reply(std::move(*response));
    else if (!who)
      back->reply(unavailable_response(
          "the operator is starting or ending; ask later"));
    else if (!leader || leader->current_route().here)
      send_to_di_server_actor(decoded, back);
    else if (auto route = leader->current_route();
             forwarded || route.address.empty())
      back->reply(
          unavailable_response("no replica of the operator leads; ask later"));
    else if (!route.has_key || route.term.empty())
      back->reply(unavailable_response(
          "the replica of the operator that leads cannot be asked from here "
          "yet; ask later"));
    else
      others->forward(
          {route.address}, q,
          {{forwarded_header, leader->make_forwarded_header(q, route, client)}},
          to_http_response(
              {502, "the replica of the operator that leads, " + route.address
                        + ", did not respond; look what is there before "
                          "asking again"}),
          back);
  }

  void send_to_di_server_actor(const di_server_request& q,
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
  set_admitted_addresses(nullptr);
  server_.reset();
}

k8s::result<std::unique_ptr<di_server_listener>>
di_server_listener::open(const std::string& address, bool anybody) {
  auto listener = std::make_unique<di_server_listener>();
  listener->to_->anybody = anybody;
  http::access_policy access;
  access.body_limit = di_server_body_limit;
  access.admit = [to = listener->to_](const http::request& head,
                                      target::decision decide) {
    to->admit(head, std::move(decide));
  };
  auto server = http::listen(
      address,
      [to = listener->to_](const http::request& q,
                           const http::response_writer_ptr& back) {
        to->answer_or_forward(q, back);
      },
      di_server_limits(), std::move(access));
  if (!server)
    return k8s::failure{server.error().code,
                        "--di-server-bind-address: " + server.error().message};
  listener->server_ = std::move(*server);
  std::lock_guard guard{listener->to_->lock};
  listener->to_->server = listener->server_.get();
  return listener;
}

void di_server_listener::set_leader_to_forward_to(
    std::shared_ptr<di_server_leader> leader) {
  std::lock_guard guard{to_->lock};
  to_->leader = std::move(leader);
  to_->others = http::make_request_forwarder(forward_limit);
}

void di_server_listener::set_admitted_addresses(
    std::shared_ptr<job_pod_addresses> addresses) {
  std::shared_ptr<job_pod_addresses> before;
  {
    std::lock_guard guard{to_->lock};
    before = std::exchange(addresses_, addresses);
    to_->addresses = addresses;
  }
  if (before)
    before->set_added_callback({});
  if (addresses)
    addresses->set_added_callback([to = to_, server = server_.get()] {
      if (to->has_strangers)
        server->post([to] { to->admit_strangers_known_now(); });
    });
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
