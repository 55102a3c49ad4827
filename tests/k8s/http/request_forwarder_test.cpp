#include "k8s/http/request_forwarder.hpp"
#include "tests/k8s/http/self_signed_certificate.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/test/unit_test.hpp>

#include <condition_variable>
#include <mutex>
#include <optional>

using namespace troupe::k8s::http;

BOOST_AUTO_TEST_SUITE(request_forwarder_test)

namespace {

/// Keeps the response for the test.
class waiting_writer : public response_writer {
public:
  void reply(response r) override {
    std::lock_guard guard{lock_};
    response_ = std::move(r);
    replied_.notify_all();
  }
  void start(response) override {}
  void write(std::string) override {}
  void finish() override {}
  void on_disconnect(std::function<void()>) override {}

  response wait() {
    std::unique_lock guard{lock_};
    replied_.wait(guard, [this] { return response_.has_value(); });
    return *response_;
  }

private:
  std::mutex lock_;
  std::condition_variable replied_;
  std::optional<response> response_;
};

request delete_with_body() {
  request q;
  q.method = "DELETE";
  q.path = "/v1/a b";
  q.query = {{"x", "1&2"}, {"y", ""}};
  q.headers = {{"content-type", "application/json"}, {"cookie", "c"}};
  q.body = "{}";
  return q;
}

response otherwise() {
  response r;
  r.status = 502;
  return r;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_request_arrives_and_its_response_comes_back) {
  auto other = listen("127.0.0.1:0", [](const request& q,
                                        const response_writer_ptr& back) {
    response r;
    r.status = 404;
    r.content_type = "text/x";
    r.body = q.method + " " + q.path + " " + q.query_param("x") + " "
             + q.headers.at("content-type") + " " + q.headers.at("from") + " "
             + std::to_string(q.headers.count("cookie")) + " " + q.body;
    back->reply(std::move(r));
  });
  BOOST_REQUIRE(other);
  auto f = make_request_forwarder(std::chrono::seconds{30});
  auto writer = std::make_shared<waiting_writer>();
  f->forward({"127.0.0.1:" + std::to_string((*other)->port())},
             delete_with_body(), {{"From", "me"}}, otherwise(), writer);
  auto r = writer->wait();
  BOOST_TEST(r.status == 404);
  BOOST_TEST(r.content_type == "text/x");
  BOOST_TEST(r.body == "DELETE /v1/a b 1&2 application/json me 0 {}");
}

BOOST_AUTO_TEST_CASE(a_secure_server_has_to_be_the_one_that_is_meant) {
  auto own = make_self_signed_certificate({"reports.ns.svc"});
  auto other = make_self_signed_certificate({"reports.ns.svc"});
  BOOST_REQUIRE(bool(own));
  access_policy who;
  who.server_certificate = *own;
  who.tls_only = true;
  auto server = listen(
      "127.0.0.1:0",
      [](const request& q, const response_writer_ptr& back) {
        response r;
        r.status = 429;
        r.headers["Retry-After"] = "1";
        r.body = q.body;
        back->reply(std::move(r));
      },
      {}, who);
  BOOST_REQUIRE(bool(server));
  auto f = make_request_forwarder(std::chrono::seconds{30});
  auto answer = [&](const std::string& authorities, const char* name) {
    auto writer = std::make_shared<waiting_writer>();
    f->forward(
        {"127.0.0.1:" + std::to_string((*server)->port()), authorities, name},
        delete_with_body(), {}, otherwise(), writer);
    return writer->wait();
  };
  auto taken = answer(own->certificate, "reports.ns.svc");
  BOOST_TEST(taken.status == 429);
  BOOST_TEST(taken.body == "{}");
  BOOST_TEST(taken.headers["Retry-After"] == "1");
  BOOST_TEST(answer(own->certificate, "other.ns.svc").status == 502);
  BOOST_TEST(answer(other->certificate, "reports.ns.svc").status == 502);
  BOOST_TEST(answer("nonsense", "reports.ns.svc").status == 502);
}

BOOST_AUTO_TEST_CASE(a_server_that_is_not_there_is_answered_for) {
  // Bound, so that it is nobody else's port, but not listening.
  namespace asio = boost::asio;
  asio::io_context io;
  asio::ip::tcp::socket bound{io, {asio::ip::make_address("127.0.0.1"), 0}};
  auto f = make_request_forwarder(std::chrono::seconds{30});
  auto writer = std::make_shared<waiting_writer>();
  f->forward({"127.0.0.1:" + std::to_string(bound.local_endpoint().port())},
             delete_with_body(), {}, otherwise(), writer);
  BOOST_TEST(writer->wait().status == 502);
}

BOOST_AUTO_TEST_CASE(the_end_answers_what_is_under_way) {
  std::vector<response_writer_ptr> kept;
  std::mutex lock;
  auto silent = listen("127.0.0.1:0",
                       [&](const request&, const response_writer_ptr& back) {
                         std::lock_guard guard{lock};
                         kept.push_back(back);
                       });
  auto writer = std::make_shared<waiting_writer>();
  auto f = make_request_forwarder(std::chrono::seconds{30});
  f->forward({"127.0.0.1:" + std::to_string((*silent)->port())},
             delete_with_body(), {}, otherwise(), writer);
  f.reset();
  BOOST_TEST(writer->wait().status == 502);
}

BOOST_AUTO_TEST_SUITE_END()
